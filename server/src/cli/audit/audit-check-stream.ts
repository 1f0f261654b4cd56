import { Command } from 'commander';
import { toOneLine } from '../../core/text/one-line.ts';
import type { StreamVerdict } from '../../features/log-streams/index.ts';
import { parsePublicKey } from '../terminal/arguments.ts';
import { printJson, printText } from '../terminal/output.ts';
import { Progress } from '../terminal/progress.ts';

interface CheckStreamFlags {
  readonly publicKey: Buffer;
  readonly anchor?: string;
  readonly json?: boolean;
}

export function checkStreamCommand(): Command {
  return new Command('check-stream')
    .description(
      'Check that nothing is missing or changed in what the receiver of a log stream has. Needs no database.',
    )
    .argument('<files...>', 'files of JSON lines, as a log stream wrote them or as the receiver exports them')
    .requiredOption('--public-key <key>', 'the expected signing key, as base64', parsePublicKey)
    .option('--anchor <file>', 'also compare with the checkpoints in this anchor file')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Lines may be repeated and out of order. Exits with 1 when it finds something.
The lines alone cannot show whether the newest ones are missing: compare the last checkpoint with the vault, or use an anchor.`,
    )
    .action(async (files: readonly string[], { publicKey, anchor, json }: CheckStreamFlags) => {
      const { checkStream } = await import('../../features/log-streams/index.ts');
      const progress = new Progress('Checking lines', json !== true);
      const onProgress = (lines: number) => progress.update(lines, undefined);
      const verdict = await checkStream(files, { publicKey, anchorFile: anchor, onProgress });
      progress.end();
      if (json === true) printJson(toJson(verdict));
      else printText(describe(verdict));
      if (!isWhole(verdict)) process.exitCode = 1;
    });
}

function isWhole({ tenants, findings, unreadable }: StreamVerdict): boolean {
  return findings.length === 0 && unreadable.length === 0 && tenants.length > 0;
}

function toJson(verdict: StreamVerdict) {
  const { tenants, findings, unreadable, foreignAnchorLines } = verdict;
  return {
    ok: isWhole(verdict),
    foreign_anchor_lines: foreignAnchorLines,
    unreadable,
    tenants: tenants.map(({ tenantId, verified, dropped, repeated, uncovered, beginsAt, newest }) => ({
      tenant_id: tenantId,
      begins_at: beginsAt,
      verified,
      dropped,
      repeated,
      uncovered,
      checkpoint: newest?.number ?? null,
      tree_size: newest?.treeSize ?? null,
      sealed_at: newest?.sealedAt.toISOString() ?? null,
    })),
    findings: findings.map(({ kind, tenantId, range, records, message }) => ({
      kind,
      tenant_id: tenantId,
      ...(range === undefined ? {} : { range }),
      ...(records === undefined ? {} : { records }),
      message,
    })),
  };
}

function describe(verdict: StreamVerdict): string {
  const { tenants, findings, unreadable, foreignAnchorLines } = verdict;
  const found = findings.map(({ tenantId, range, message }) => {
    const where = range === undefined ? '' : ` Records ${range.from} to ${range.to - 1}.`;
    return toOneLine(`FAIL tenant ${tenantId}: ${message}${where}`);
  });
  const lines = unreadable.map((place) => toOneLine(`FAIL ${place}: This is not a line as the vault writes it.`));
  const foreign =
    foreignAnchorLines === 0 ? [] : [`${foreignAnchorLines} lines of the anchor were not signed by this vault.`];
  const each = tenants.map(({ tenantId, verified, repeated, uncovered, beginsAt, newest }) => {
    const begin = beginsAt === 0 ? '' : ` They begin after record ${beginsAt - 1}.`;
    const end =
      newest === undefined ? '' : ` The last checkpoint is ${newest.number}, with ${newest.treeSize} records.`;
    const more = uncovered === 0 ? '' : ` ${uncovered} records follow it, which no checkpoint covers yet.`;
    return toOneLine(`Tenant ${tenantId}: ${verified} records verified, ${repeated} repeated.${begin}${end}${more}`);
  });
  return [...found, ...lines, ...foreign, ...each, resultOf(verdict)].join('\n');
}

function resultOf(verdict: StreamVerdict): string {
  const { tenants, findings, unreadable } = verdict;
  if (isWhole(verdict)) return 'Nothing is missing up to the last checkpoint of each tenant, and nothing was changed.';
  return tenants.length === 0 ? 'There are no lines of a stream.' : `${findings.length + unreadable.length} findings.`;
}

import { Command, InvalidArgumentError } from 'commander';
import type { EvidenceView } from '../../app/evidence/bundle/evidence-schema.ts';
import type { BundleVerdict } from '../../app/evidence/bundle/verify-bundle.ts';
import { parseIsoTimestamp } from '../../core/expiry/timestamp.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { counted } from '../../core/text/counted.ts';
import { parsePublicKey, parseTenant } from '../terminal/arguments.ts';
import { printJson, printText } from '../terminal/output.ts';
import { compareCommand } from './evidence-compare.ts';
import { toEvidenceOrder } from './evidence-order.ts';
import { toScopeText, toTextOfFact } from './fact-text.ts';

interface TakeFlags {
  readonly tenant?: TenantId;
  readonly all?: boolean;
  readonly from?: Date;
  readonly to?: Date;
  readonly output: string;
  readonly json?: boolean;
}

export function evidenceCommand(): Command {
  return new Command('evidence')
    .description('Write a signed bundle of what the vault can say to an assessor, check one, or compare two.')
    .addCommand(takeCommand(), { isDefault: true })
    .addCommand(verifyCommand())
    .addCommand(compareCommand());
}

function takeCommand(): Command {
  return new Command('take')
    .description('Write facts by requirement of PCI DSS 4.0.1, with proofs and a signature, to a new folder.')
    .option('--tenant <id>', 'only this tenant; the bundle says nothing about others', parseTenant)
    .option('--all', 'every tenant, added up')
    .option('--from <time>', 'beginning of the period, as ISO 8601; a year before its end by default', parseTime)
    .option('--to <time>', 'end of the period, as ISO 8601; now by default', parseTime)
    .requiredOption('--output <folder>', 'new folder for the bundle')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
It supports an assessment and replaces none. Run it where workers run, with their settings: some facts are about these settings.
\`strongroom evidence --all --output <folder>\` is the same command. It can run beside servers and workers; the log of the period is
read once. That evidence was taken is recorded in the log of each tenant. Bundles contain ids, numbers and times, and no value.`,
    )
    .action(async (flags: TakeFlags, command: Command) => {
      const { output, json } = flags;
      if ((flags.tenant === undefined) === (flags.all !== true))
        throw new Error('Specify either --tenant <id> or --all.');
      const { order, end } = toEvidenceOrder({ ...flags, version: command.version(), isText: json !== true });
      const { takeEvidence } = await import('../../app/evidence/take-evidence.ts');
      const view = await takeEvidence(order, output);
      end();
      if (json === true) printJson({ folder: output, public_key: view.public_key, totals: view.totals });
      else printText(describeTaken(view, output));
    });
}

function verifyCommand(): Command {
  return new Command('verify')
    .description('Check that a bundle is as the vault wrote it. Needs no vault.')
    .argument('<folder>', 'folder of the bundle')
    .requiredOption('--public-key <key>', 'the expected signing key, as base64', parsePublicKey)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Checks the signature, the digest of each file, that there is no other file, and every proof. Exits with 1 when it finds something.
Get the key from the operator through another channel than the bundle: \`strongroom audit verify\` prints it.`,
    )
    .action(async (folder: string, { publicKey, json }: { publicKey: Buffer; json?: boolean }) => {
      const { verifyBundle } = await import('../../app/evidence/bundle/verify-bundle.ts');
      const verdict = await verifyBundle(folder, publicKey);
      if (json === true) printJson(toVerdictJson(verdict));
      else printText(describeVerdict(verdict));
      if (verdict.problems.length > 0) process.exitCode = 1;
    });
}

function describeTaken({ rows, totals, public_key: key }: EvidenceView, output: string): string {
  const open = rows.flatMap(({ facts }) => facts).filter(({ verdict }) => verdict !== 'holds');
  return [
    ...open.map(toTextOfFact),
    `${output} has the evidence: ${totals.holds} facts hold, ${totals.attention} need attention, ${totals.fails} fail. Read evidence.html.`,
    'Anyone who receives it can check it without the vault:',
    `  strongroom evidence verify ${output} --public-key ${key}`,
  ].join('\n');
}

function toVerdictJson({ problems, proven, evidence }: BundleVerdict) {
  return {
    ok: problems.length === 0,
    problems,
    proven,
    evidence:
      evidence === undefined
        ? null
        : {
            version: evidence.version,
            tenant_id: evidence.tenant_id,
            period: evidence.period,
            finished_at: evidence.finished_at,
            totals: evidence.totals,
          },
  };
}

function describeVerdict({ problems, proven, evidence }: BundleVerdict): string {
  if (problems.length > 0 || evidence === undefined) return problems.map((problem) => `FAIL ${problem}`).join('\n');
  return [
    `The bundle is as the vault wrote it at ${evidence.finished_at}: ${toScopeText(evidence)}, from ${evidence.period.from} to ${evidence.period.to}.`,
    `Proved: ${counted(proven.checkpoints, 'checkpoint')}, ${counted(proven.consistency, 'log')} that only grew, ${counted(proven.records, 'record')}.`,
  ].join('\n');
}

function parseTime(text: string): Date {
  const timestamp = parseIsoTimestamp(text);
  if (timestamp === undefined)
    throw new InvalidArgumentError('It must be an ISO 8601 date or date-time such as 2026-05-04T12:00:00Z.');
  return timestamp.instant;
}

import { Command } from 'commander';
import type { EvidenceView } from '../../app/evidence/bundle/evidence-schema.ts';
import type { ComparedBundles } from '../../app/evidence/compare/compare-bundles.ts';
import type { EvidenceChange } from '../../app/evidence/compare/compare-evidence.ts';
import { counted } from '../../core/text/counted.ts';
import { toOneLine } from '../../core/text/one-line.ts';
import { parsePublicKey } from '../terminal/arguments.ts';
import { printJson, printText } from '../terminal/output.ts';
import { marks, toScopeText } from './fact-text.ts';

/** The status if nothing was compared. Status 1 means that something was found. */
const incomparableStatus = 2;

export function compareCommand(): Command {
  return new Command('compare')
    .description('Say what changed between two bundles of the same vault or tenant. Needs no vault.')
    .argument('<earlier>', 'folder of the earlier bundle')
    .argument('<later>', 'folder of the later bundle')
    .requiredOption('--public-key <key>', 'the expected signing key of both, as base64', parsePublicKey)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Checks both bundles as \`strongroom evidence verify\` does, and lists the facts that changed, new failures first. Exits with 0 if
no fact has come to fail; with 1 if one has, or if nobody can tell because it could not be read or is missing; and with 2 if the
bundles cannot be compared: one does not verify, they are of different vaults or tenants, or the first is the later one.`,
    )
    .action(async (earlier: string, later: string, { publicKey, json }: { publicKey: Buffer; json?: boolean }) => {
      const { compareBundles } = await import('../../app/evidence/compare/compare-bundles.ts');
      const compared = await compareBundles({ earlier, later }, publicKey);
      if ('problems' in compared) {
        process.exitCode = incomparableStatus;
        if (json === true) printJson({ ok: false, problems: compared.problems });
        else printText(compared.problems.map((problem) => `FAIL ${toOneLine(problem)}`).join('\n'));
        return;
      }
      if (json === true) printJson(toJson(compared));
      else printText(describe(compared));
      if (!compared.comparison.ok) process.exitCode = 1;
    });
}

function toJson({ earlier, later, notes, comparison: { ok, ...comparison } }: ComparedBundles) {
  const toBundle = ({ version, period, finished_at, totals }: EvidenceView) => ({
    version,
    period,
    finished_at,
    totals,
  });
  return {
    ok,
    problems: [],
    tenant_id: later.tenant_id,
    earlier: toBundle(earlier),
    later: toBundle(later),
    notes,
    ...comparison,
  };
}

function describe({ earlier, later, notes, comparison }: ComparedBundles): string {
  const { changes, unchanged, still_failing: failing } = comparison;
  const total =
    changes.length === 0 ? 'No fact changed.' : `${counted(changes.length, 'fact')} changed, ${unchanged} did not.`;
  return [
    `What changed in ${toScopeText(later)} from ${earlier.finished_at} to ${later.finished_at}:`,
    ...notes.map((note) => toOneLine(`Note: ${note}`)),
    ...changes.map(toTextOfChange),
    ...(failing.length === 0 ? [total] : [`${total} Failed before and still do: ${toOneLine(failing.join(', '))}.`]),
  ].join('\n');
}

function toTextOfChange({ fact, later, sentence, to_do: remedy }: EvidenceChange): string {
  const mark = later === null || later === 'unread' ? '?   ' : marks[later];
  return toOneLine(`${mark} ${fact}: ${sentence}${remedy === null ? '' : ` To do: ${remedy}.`}`);
}

import { Command, Option } from 'commander';
import type { TenantId } from '../core/identity/ids.ts';
import type { ImportReport } from '../features/imports/index.ts';
import { processEnvironment, readVaultConfig } from '../platform/config/config.ts';
import { parseTenant } from './arguments.ts';
import { printJson, printText } from './output.ts';
import { Progress } from './progress.ts';
import { stopSignal } from './stop-signal.ts';

interface ImportFlags {
  readonly tenant: TenantId;
  readonly file: string;
  readonly format?: 'ndjson' | 'csv';
  readonly map: readonly string[];
  readonly set: readonly string[];
  readonly dropCvc?: boolean;
  readonly dryRun?: boolean;
  readonly resume?: boolean;
  readonly again?: boolean;
  readonly rejects?: string;
  readonly json?: boolean;
}

export function importCommand(): Command {
  return new Command('import')
    .description('Bring tokens in from a file of JSON lines or CSV, with their ids.')
    .requiredOption('--tenant <id>', 'tenant to import into', parseTenant)
    .requiredOption('--file <file>', 'the file')
    .addOption(new Option('--format <format>', 'taken from the name where it ends in .csv').choices(['ndjson', 'csv']))
    .option('--map <name=field>', 'where a column or member goes; may be repeated', collect, [])
    .option('--set <field=value>', 'a field that is the same for every record; may be repeated', collect, [])
    .option('--drop-cvc', 'leave card verification codes out; without it, cards that have one are rejected')
    .option('--dry-run', 'check everything, also which ids are taken, and write nothing to the vault')
    .option('--resume', 'go on where an earlier import of this file stopped')
    .option('--again', 'import a file that has been imported before')
    .option('--rejects <file>', 'where to say what was rejected; <file>.rejects.ndjson where none is named')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
A line of JSON is what POST /tokens takes. A CSV file begins with the names of its columns, each a field of a token:
  id,type,data.number,data.expiration_month:number,metadata.customer
--map says where other names go, and --set what the file does not say:
  strongroom import --tenant <id> --file cards.csv --set type=card \\
    --map pan=data.number --map month=data.expiration_month:number --map customer_id=metadata.customer --map notes=
A field may end in :number, :boolean or :json; without that a cell is text. An empty cell is absent. Nothing after the
equal sign leaves a column out.
Every token is checked, sealed and recorded as one of a request, and made at the time of the import. What cannot be taken is
listed with its line and the reason, never with a value, and the import goes on. Exits with 1 when something was rejected.
An import that was stopped, or killed, goes on with --resume: nothing is lost and nothing is doubled.`,
    )
    .action(async (flags: ImportFlags) => {
      const config = readVaultConfig(processEnvironment());
      const signal = stopSignal();
      const { importTokens } = await import('../app/import-tokens.ts');
      const { parseFieldMap } = await import('../features/imports/index.ts');
      const progress = new Progress(flags.dryRun === true ? 'Checking' : 'Importing', flags.json !== true);
      const report = await importTokens(config, {
        tenantId: flags.tenant,
        path: flags.file,
        format: flags.format ?? (flags.file.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson'),
        map: parseFieldMap(flags),
        dropsCvc: flags.dropCvc === true,
        isDryRun: flags.dryRun === true,
        isResumed: flags.resume === true,
        isRepeated: flags.again === true,
        rejectsPath: flags.rejects,
        signal,
        onProgress: (records, share) => progress.update(records, undefined, share),
      });
      progress.end();
      if (flags.json === true) printJson(toReportJson(report, flags));
      else printText(describe(report, flags));
      if (report.rejected > 0 || !report.isFinished) process.exitCode = 1;
    });
}

function toReportJson(
  { imported, rejected, codesDropped, line, resumedAt, isFinished }: ImportReport,
  flags: ImportFlags,
) {
  return {
    finished: isFinished,
    dry_run: flags.dryRun === true,
    imported,
    rejected,
    codes_dropped: codesDropped,
    lines: line,
    resumed_at_line: resumedAt,
    rejects_file: rejected === 0 ? null : rejectsFileOf(flags),
  };
}

function describe({ imported, rejected, codesDropped, line, isFinished }: ImportReport, flags: ImportFlags): string {
  const count = imported.toLocaleString('en');
  const done = flags.dryRun === true ? `${count} tokens can be imported.` : `${count} tokens are imported.`;
  const file = rejectsFileOf(flags);
  const where = file === null ? ' Name a file with --rejects to see why.' : ` ${file} says why.`;
  return [
    done,
    ...(rejected === 0 ? [] : [`${rejected.toLocaleString('en')} records were rejected.${where}`]),
    ...(codesDropped === 0
      ? []
      : [`${codesDropped.toLocaleString('en')} verification codes were left out in this run.`]),
    ...(isFinished ? [] : [`Stopped after line ${line}. Go on with --resume.`]),
  ].join('\n');
}

function rejectsFileOf({ rejects, file, dryRun }: ImportFlags): string | null {
  return rejects ?? (dryRun === true ? null : `${file}.rejects.ndjson`);
}

function collect(text: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, text];
}

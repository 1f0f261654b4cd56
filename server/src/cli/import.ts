import { Command, Option } from 'commander';
import type { TenantId } from '../core/identity/ids.ts';
import type { ImportReport } from '../features/imports/index.ts';
import { processEnvironment, readVaultConfig } from '../platform/config/config.ts';
import { parseTenant } from './terminal/arguments.ts';
import { printJson, printText } from './terminal/output.ts';
import { Progress } from './terminal/progress.ts';
import { stopSignal } from './terminal/stop-signal.ts';

interface ImportFlags {
  readonly tenant: TenantId;
  readonly file: string;
  readonly format?: 'ndjson' | 'csv';
  readonly map: readonly string[];
  readonly set: readonly string[];
  readonly dropCvc?: boolean;
  readonly vouchForViews?: boolean;
  readonly dryRun?: boolean;
  readonly resume?: boolean;
  readonly again?: boolean;
  readonly rejects?: string;
  readonly json?: boolean;
}

export function importCommand(): Command {
  return new Command('import')
    .description('Import tokens from a JSON lines or CSV file, keeping their ids.')
    .requiredOption('--tenant <id>', 'tenant to import into', parseTenant)
    .requiredOption('--file <file>', 'the file')
    .addOption(
      new Option('--format <format>', 'csv by default if the file name ends in .csv, otherwise ndjson').choices([
        'ndjson',
        'csv',
      ]),
    )
    .option('--map <name=field>', 'field to store a column or member in; may be repeated', collect, [])
    .option('--set <field=value>', 'value of a field for every record; may be repeated', collect, [])
    .option('--drop-cvc', 'omit card verification codes; without it, cards that have one are rejected')
    .option(
      '--vouch-for-views',
      'keep masks, search indexes and fingerprint expressions of the file when applications write the data later',
    )
    .option('--dry-run', 'check everything, including which ids are taken, without writing to the vault')
    .option('--resume', 'continue where an earlier import of this file stopped')
    .option('--again', 'import a file again that has already been imported')
    .option('--rejects <file>', 'file to list rejected records in; <file>.rejects.ndjson by default')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Each JSON line is a body of POST /tokens. A CSV file starts with a header line whose columns are token fields:
  id,type,data.number,data.expiration_month:number,metadata.customer
Use --map for columns with other names, and --set for fields that the file does not have:
  strongroom import --tenant <id> --file cards.csv --set type=card \\
    --map pan=data.number --map month=data.expiration_month:number --map customer_id=metadata.customer --map notes=
A field may end in :number, :boolean or :json; otherwise the cell is text. An empty cell counts as absent. To skip a
column, put nothing after the equals sign.
Every token is validated, encrypted and audited as if it came from a request, and created_at is the time of the import.
A mask, search index or fingerprint expression of the file is replaced by that of the type when an application writes
the data later, because its author could then see what others write. Use --vouch-for-views to keep those of a file
whose views you have checked.
Rejected records are listed with their line and the reason, never with a value, and the import continues. Exits with
status 1 if any record was rejected. To continue an import that was stopped or killed, use --resume: no record is lost or imported twice.`,
    )
    .action(async (flags: ImportFlags) => {
      const config = readVaultConfig(processEnvironment());
      const signal = stopSignal();
      const { importTokens } = await import('../app/operations/import-tokens.ts');
      const { parseFieldMap } = await import('../features/imports/index.ts');
      const progress = new Progress(flags.dryRun === true ? 'Checking' : 'Importing', flags.json !== true);
      const report = await importTokens(config, {
        tenantId: flags.tenant,
        path: flags.file,
        format: flags.format ?? (flags.file.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson'),
        map: parseFieldMap(flags),
        dropsCvc: flags.dropCvc === true,
        vouchesForViews: flags.vouchForViews === true,
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
  const done = flags.dryRun === true ? `${count} tokens can be imported.` : `${count} tokens were imported.`;
  const file = rejectsFileOf(flags);
  const where = file === null ? ' To see why, name a file with --rejects.' : ` See ${file} for the reasons.`;
  return [
    done,
    ...(rejected === 0 ? [] : [`${rejected.toLocaleString('en')} records were rejected.${where}`]),
    ...(codesDropped === 0
      ? []
      : [`${codesDropped.toLocaleString('en')} verification codes were omitted in this run.`]),
    ...(isFinished ? [] : [`Stopped after line ${line}. Continue with --resume.`]),
  ].join('\n');
}

function rejectsFileOf({ rejects, file, dryRun }: ImportFlags): string | null {
  return rejects ?? (dryRun === true ? null : `${file}.rejects.ndjson`);
}

function collect(text: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, text];
}

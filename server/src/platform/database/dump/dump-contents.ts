import { CopyBlocks } from './copy-blocks.ts';
import { decodeDump, type DecoderOptions } from './dump-decoder.ts';
import type { DumpFile } from './dump-file.ts';

/** Limits far above any real dump. */
const tableBytesMax = 1024 * 1024;
const listBytesMax = 64 * 1024 * 1024;
/** One hundred years. */
const monthsMax = 1_200;

/** A migration that was applied according to the dump. */
export interface DumpedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

export interface DumpContents {
  /** Undefined if the dump has no migrations table and is therefore not a dump of a vault. */
  readonly migrations: readonly DumpedMigration[] | undefined;
  /** The months of the audit log, for example `2026_08`. */
  readonly months: readonly string[];
}

/** Determines which schema a dump needs before its rows can be loaded. */
export async function readDumpContents(dump: DumpFile, options: DecoderOptions): Promise<DumpContents> {
  const flags = ['--data-only', '--schema=public', '--table=schema_migrations'];
  const blocks = new CopyBlocks();
  let table: { columns: readonly string[]; text: string } | undefined;
  for await (const chunk of decodeDump(dump, flags, { ...options, bytesMax: tableBytesMax })) {
    for (const event of blocks.push(chunk)) {
      if (event.kind === 'begin') table = { columns: event.columns, text: '' };
      else if (event.kind === 'rows' && table !== undefined) table.text += event.bytes.toString('latin1');
    }
  }
  blocks.finish();
  const migrations = table === undefined ? undefined : table.text.split('\n').filter((line) => line !== '');
  const columns = table?.columns ?? [];
  return {
    migrations: migrations?.map((line) => toMigration(columns, line.split('\t'))),
    months: await listMonths(dump, options),
  };
}

/** Parses a row of the migrations table. Fields that do not look like those of a migration become empty. */
function toMigration(columns: readonly string[], values: readonly string[]): DumpedMigration {
  const field = (column: string, form: RegExp) => form.exec(values[columns.indexOf(column)] ?? '')?.[0] ?? '';
  return {
    version: Number(field('version', /^\d{1,4}$/)),
    name: field('name', /^[a-z0-9_]{1,100}$/),
    checksum: field('checksum', /^[0-9a-f]{64}$/),
  };
}

async function listMonths(dump: DumpFile, options: DecoderOptions): Promise<string[]> {
  let list = '';
  for await (const chunk of decodeDump(dump, ['--list'], { ...options, bytesMax: listBytesMax }))
    list += chunk.toString('latin1');
  const found = list.matchAll(/ TABLE DATA public audit_records_(\d{4}_(?:0[1-9]|1[0-2])) /g);
  const months = [...new Set([...found].map(([, month]) => month ?? ''))];
  if (months.length > monthsMax) throw new Error('The dump has an impossible number of audit log months.');
  return months;
}

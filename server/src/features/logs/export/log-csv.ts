import type { LogJson, LogPages } from './log-ndjson.ts';

const columns = [
  'id',
  'tenant_id',
  'created_at',
  'actor_id',
  'actor_type',
  'key_id',
  'source_address',
  'request_id',
  'entity_type',
  'entity_id',
  'operation',
  'outcome',
  'transform',
  'message',
  'containers',
  'destination',
  'details',
] as const satisfies readonly (keyof LogJson)[];

/**
 * Formats records as CSV (RFC 4180) with a header line. Yields one chunk per page. The first chunk includes the header.
 */
export async function* toCsv(pages: LogPages): AsyncGenerator<string> {
  let head = `${columns.join(',')}\r\n`;
  for await (const page of pages) {
    yield head + page.map((log) => `${columns.map((column) => toCell(log[column])).join(',')}\r\n`).join('');
    head = '';
  }
  if (head !== '') yield head;
}

/**
 * Matches text that a spreadsheet would run as a formula. Some spreadsheets treat full-width characters like the plain
 * ones, and skip line breaks.
 */
const runnable = /^[=+\-@\t\r\n＝＋－＠]/;

/** Formats a cell. Containers are separated by spaces, because they contain none. Details are JSON text. */
function toCell(value: string | object | undefined): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return toCell(value.join(' '));
  if (typeof value !== 'string') return toCell(JSON.stringify(value));
  const harmless = runnable.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

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

/** RFC 4180, with a line of names. A page a piece, the names with the first. */
export async function* toCsv(pages: LogPages): AsyncGenerator<string> {
  let head = `${columns.join(',')}\r\n`;
  for await (const page of pages) {
    yield head + page.map((log) => `${columns.map((column) => toCell(log[column])).join(',')}\r\n`).join('');
    head = '';
  }
  if (head !== '') yield head;
}

/** What a spreadsheet would run. Some read the full-width forms as the plain ones, and look behind a line end. */
const runnable = /^[=+\-@\t\r\n＝＋－＠]/;

/** Containers hold no space, so a space stands between two; details are JSON text. */
function toCell(value: string | object | undefined): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return toCell(value.join(' '));
  if (typeof value !== 'string') return toCell(JSON.stringify(value));
  const harmless = runnable.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

import type { toLogView } from '../model/log-schemas.ts';

export type LogJson = ReturnType<typeof toLogView>;
export type LogPages = AsyncIterable<readonly LogJson[]> | Iterable<readonly LogJson[]>;

/**
 * Formats one record per line. Yields one chunk per page. The last line marks the end and contains the number of
 * records.
 */
export async function* toNdjson(pages: LogPages): AsyncGenerator<string> {
  let records = 0;
  for await (const page of pages) {
    records += page.length;
    if (page.length > 0) yield page.map((log) => `${JSON.stringify(log)}\n`).join('');
  }
  yield `${JSON.stringify({ end: true, records })}\n`;
}

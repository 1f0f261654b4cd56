/** The reason why a record does not conform to RFC 4180. It contains nothing that was read. */
export class CsvError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CsvError';
  }
}

/**
 * Returns the fields of one record (RFC 4180 §2). A quoted field may contain delimiters, line breaks and doubled
 * quotes. The parser is strict, because a lenient one guesses, and a wrong guess moves a card number into another
 * column.
 */
export function parseCsvRecord(text: string, delimiter: string): string[] {
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    const isQuoted = text[at] === '"';
    const { value, next } = isQuoted ? readQuoted(text, at + 1) : readPlain(text, at, delimiter);
    fields.push(value);
    if (next === text.length) return fields;
    if (text[next] !== delimiter) throw new CsvError('Text follows a closing quote.');
    at = next + 1;
  }
}

function readPlain(text: string, start: number, delimiter: string): { value: string; next: number } {
  const found = text.indexOf(delimiter, start);
  const next = found === -1 ? text.length : found;
  const value = text.slice(start, next);
  if (value.includes('"')) throw new CsvError('A field that is not quoted contains a quote.');
  return { value, next };
}

function readQuoted(text: string, start: number): { value: string; next: number } {
  let value = '';
  let from = start;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) throw new CsvError('A quoted field is not closed.');
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, next: quote + 1 };
    value += '"';
    from = quote + 2;
  }
}

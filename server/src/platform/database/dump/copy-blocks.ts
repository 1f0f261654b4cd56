/** The longest line that can start a block. The longest such line of the vault names twenty columns. */
const lineBytesMax = 64 * 1024;
const lineFeed = 0x0a;
const blockEnd = Buffer.from('\n\\.\n');

const name = '"?([a-z_][a-z0-9_]*)"?';
const blockStart = new RegExp(`^COPY "?public"?\\.${name} \\(([a-z0-9_", ]+)\\) FROM stdin;$`);
const columnName = new RegExp(`^${name}$`);

export type CopyEvent =
  | { readonly kind: 'begin'; readonly table: string; readonly columns: readonly string[] }
  | { readonly kind: 'rows'; readonly bytes: Buffer }
  | { readonly kind: 'end' };

/**
 * Extracts the rows from a pg_restore script. Statements are skipped without being parsed, so nothing in an archive is
 * ever executed. The rows are copied by the vault's own statement.
 */
export class CopyBlocks {
  #isInside = false;
  /**
   * Inside a block, these are the last bytes read, which may be the start of its end marker. Outside a block, they are
   * the incomplete current line.
   */
  #held = Buffer.alloc(0);
  #isLineTooLong = false;
  /**
   * True until the first row. A line feed is prepended to the first row, so that the end of an empty block looks like
   * that of any other block.
   */
  #isFirst = false;

  *push(chunk: Buffer): Generator<CopyEvent> {
    let rest = chunk;
    while (rest.length > 0) rest = this.#isInside ? yield* this.#takeRows(rest) : yield* this.#takeLine(rest);
  }

  /** Throws if the script ended in the middle of a table. */
  finish(): void {
    if (this.#isInside) throw new Error('The dump ends in the middle of a table.');
  }

  *#takeLine(chunk: Buffer): Generator<CopyEvent, Buffer> {
    const end = chunk.indexOf(lineFeed);
    const part = end === -1 ? chunk : chunk.subarray(0, end);
    this.#isLineTooLong ||= this.#held.length + part.length > lineBytesMax;
    this.#held = this.#isLineTooLong ? Buffer.alloc(0) : Buffer.concat([this.#held, part]);
    if (end === -1) return Buffer.alloc(0);
    const begin = parseBegin(this.#held.toString('latin1'));
    this.#held = Buffer.alloc(0);
    this.#isLineTooLong = false;
    if (begin !== undefined) {
      this.#isInside = true;
      this.#isFirst = true;
      this.#held = Buffer.from('\n');
      yield begin;
    }
    return chunk.subarray(end + 1);
  }

  *#takeRows(chunk: Buffer): Generator<CopyEvent, Buffer> {
    const bytes = Buffer.concat([this.#held, chunk]);
    const end = bytes.indexOf(blockEnd);
    // The line feed before the end marker belongs to the last row.
    const until = end === -1 ? Math.max(0, bytes.length - blockEnd.length + 1) : end + 1;
    const from = this.#isFirst ? 1 : 0;
    if (until > from) yield { kind: 'rows', bytes: bytes.subarray(from, until) };
    if (until > 0) this.#isFirst = false;
    this.#held = end === -1 ? bytes.subarray(until) : Buffer.alloc(0);
    if (end === -1) return Buffer.alloc(0);
    this.#isInside = false;
    yield { kind: 'end' };
    return bytes.subarray(end + blockEnd.length);
  }
}

function parseBegin(line: string): Extract<CopyEvent, { kind: 'begin' }> | undefined {
  const [, table, list] = blockStart.exec(line) ?? [];
  if (table === undefined || list === undefined) return undefined;
  const columns = list.split(', ').map((column) => columnName.exec(column)?.[1]);
  return columns.every((column) => column !== undefined) ? { kind: 'begin', table, columns } : undefined;
}

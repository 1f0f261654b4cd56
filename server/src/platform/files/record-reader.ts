import type { FileHandle } from 'node:fs/promises';

/** A record within the bytes of its batch, and its position in the file. */
export interface FileRecord {
  /** The number of its first line, counted from 1. */
  readonly line: number;
  /** The number of its lines. It is more than one if a quoted field contains line breaks. */
  readonly lineCount: number;
  /** The position of its first byte in the file. */
  readonly offset: number;
  /** The position of the byte after its line end. */
  readonly end: number;
  /** The range of its bytes in the batch, without the line end. Undefined if it was too long to be kept. */
  readonly range: { readonly from: number; readonly to: number } | undefined;
}

export interface RecordBatch {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly records: readonly FileRecord[];
}

export interface RecordReading {
  /** The position to start at, which is the end of a record or the start of the file. */
  readonly offset: number;
  /** The number of lines before that position. */
  readonly linesBefore: number;
  /** True if a line end between quotes belongs to the record. */
  readonly hasQuotes: boolean;
  readonly recordBytesMax: number;
  readonly batchRecordsMax: number;
  readonly batchBytesMax: number;
}

const chunkLength = 1024 * 1024;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Reads the bytes of a file from the given offset, with at most one chunk in memory at a time. */
export async function* readChunks(file: FileHandle, from: number): AsyncGenerator<Buffer> {
  for (let offset = from; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkLength), 0, chunkLength, offset);
    if (bytesRead === 0) return;
    offset += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Reads the records of a file in batches. It needs memory for a single batch, regardless of the size of the file. */
export async function* readRecords(file: FileHandle, reading: RecordReading): AsyncGenerator<RecordBatch> {
  const splitter = new RecordSplitter(reading);
  let isFirst = reading.offset === 0;
  for await (const chunk of readChunks(file, reading.offset)) {
    const hasMark = isFirst && chunk.subarray(0, byteOrderMark.length).equals(byteOrderMark);
    splitter.add(hasMark ? chunk.subarray(byteOrderMark.length) : chunk, hasMark ? byteOrderMark.length : 0);
    isFirst = false;
    yield* splitter.takeFull();
  }
  yield* splitter.takeRest();
}

class RecordSplitter {
  readonly #reading: RecordReading;
  /** The bytes that have been read but not returned yet. They start with the first record of the batch. */
  #pending: Buffer = Buffer.alloc(0);
  /** The position of `#pending` in the file. */
  #base: number;
  #line: number;
  #records: FileRecord[] = [];
  /** The start of the current record in `#pending`. `#scanned` is how far it has been searched. */
  #start = 0;
  #scanned = 0;
  #lineCount = 0;
  #isInQuotes = false;
  /** The number of bytes of the current record that were discarded because it is too long. */
  #skipped = 0;

  constructor(reading: RecordReading) {
    this.#reading = reading;
    this.#base = reading.offset;
    this.#line = reading.linesBefore + 1;
  }

  add(chunk: Buffer, markLength: number): void {
    this.#base += markLength;
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
  }

  *takeFull(): Generator<RecordBatch> {
    for (let end = this.#findEnd(); end !== -1; end = this.#findEnd()) {
      this.#close(end, end + 1);
      if (this.#isFull()) yield this.#take();
    }
    if (this.#pending.length - this.#start > this.#reading.recordBytesMax) this.#skip();
  }

  *takeRest(): Generator<RecordBatch> {
    const { length } = this.#pending;
    if (length > this.#start || this.#skipped > 0) {
      this.#lineCount += 1;
      this.#close(length, length);
    }
    if (this.#records.length > 0) yield this.#take();
  }

  /** Returns the position of the line feed that ends the current record, or -1 if it has not been read yet. */
  #findEnd(): number {
    for (;;) {
      const found = this.#pending.indexOf(lineFeed, this.#scanned);
      const to = found === -1 ? this.#pending.length : found;
      if (this.#reading.hasQuotes) this.#countQuotes(this.#scanned, to);
      this.#scanned = found === -1 ? to : found + 1;
      if (found === -1) return -1;
      this.#lineCount += 1;
      if (!this.#isInQuotes) return found;
    }
  }

  #countQuotes(from: number, to: number): void {
    const searched = this.#pending.subarray(from, to);
    for (let at = searched.indexOf(quote); at !== -1; at = searched.indexOf(quote, at + 1)) {
      this.#isInQuotes = !this.#isInQuotes;
    }
  }

  #close(to: number, next: number): void {
    const hasReturn = to > this.#start && this.#pending[to - 1] === carriageReturn;
    const range = { from: this.#start, to: hasReturn ? to - 1 : to };
    const isKept = this.#skipped === 0 && range.to - range.from <= this.#reading.recordBytesMax;
    this.#records.push({
      line: this.#line,
      lineCount: this.#lineCount,
      offset: this.#base + this.#start - this.#skipped,
      end: this.#base + next,
      range: isKept ? range : undefined,
    });
    this.#line += this.#lineCount;
    this.#lineCount = 0;
    this.#isInQuotes = false;
    this.#skipped = 0;
    this.#start = next;
    this.#scanned = next;
  }

  /** Discards the bytes read so far of a record that is too long. */
  #skip(): void {
    this.#skipped += this.#pending.length - this.#start;
    this.#base += this.#pending.length - this.#start;
    this.#pending = this.#pending.subarray(0, this.#start);
    this.#scanned = this.#start;
  }

  #isFull(): boolean {
    const { batchRecordsMax, batchBytesMax } = this.#reading;
    return this.#records.length >= batchRecordsMax || this.#start >= batchBytesMax;
  }

  #take(): RecordBatch {
    // The bytes are copied, so that their memory can be transferred to another thread.
    const bytes = new Uint8Array(this.#pending.subarray(0, this.#start));
    const records = this.#records;
    this.#base += this.#start;
    this.#pending = this.#pending.subarray(this.#start);
    this.#scanned -= this.#start;
    this.#start = 0;
    this.#records = [];
    return { bytes, records };
  }
}

import { constants, createGzip, gunzipSync } from 'node:zlib';
import type { AuditRecord } from '../../../core/audit/record-text.ts';
import { membersOf } from '../../../core/objects/members-of.ts';
import { parseJsonOrNothing } from '../record/json-or-nothing.ts';
import { asRecord } from '../seal/audit-record.ts';
import { parseCheckpointJson, toCheckpointJson } from '../seal/checkpoint.ts';
import type { StoredCheckpoint } from '../seal/checkpoint-row.ts';

/** A checkpoint with its records, and the checkpoint before it, from which the tree is continued. */
export interface ArchivedSection {
  readonly before: StoredCheckpoint | undefined;
  readonly checkpoint: StoredCheckpoint;
  readonly records: readonly AuditRecord[];
}

/**
 * Returns the lines of a section. `isNext` says that it follows the section that was written last, so that the
 * checkpoint before it is already there.
 */
export function toArchiveLines({ before, checkpoint, records }: ArchivedSection, isNext: boolean): string {
  const begin = isNext || before === undefined ? [] : [{ kind: 'before', ...toLine(before) }];
  const lines = [...begin, ...records.map((record) => ({ kind: 'record', ...record }))];
  return [...lines, { kind: 'checkpoint', ...toLine(checkpoint) }].map((line) => `${JSON.stringify(line)}\n`).join('');
}

function toLine(checkpoint: StoredCheckpoint) {
  return { ...toCheckpointJson(checkpoint), frontier: checkpoint.frontier.toString('base64') };
}

/** Parses the lines of a file. Returns undefined for any other text. */
export function parseArchiveLines(text: string): ArchivedSection[] | undefined {
  const sections: ArchivedSection[] = [];
  let before: StoredCheckpoint | undefined;
  let records: AuditRecord[] = [];
  for (const line of text.split('\n').slice(0, -1)) {
    const { kind, ...members } = membersOf(parseJsonOrNothing(line));
    if (kind === 'record') {
      records.push(asRecord(members));
      continue;
    }
    const checkpoint = parseCheckpoint(members);
    if (checkpoint === undefined || (kind !== 'checkpoint' && kind !== 'before')) return undefined;
    if (kind === 'checkpoint') sections.push({ before, checkpoint, records });
    before = checkpoint;
    records = [];
  }
  return records.length === 0 ? sections : undefined;
}

function parseCheckpoint(members: Readonly<Record<string, unknown>>): StoredCheckpoint | undefined {
  const checkpoint = parseCheckpointJson(members);
  const { frontier } = members;
  if (checkpoint === undefined || typeof frontier !== 'string') return undefined;
  return { ...checkpoint, frontier: Buffer.from(frontier, 'base64') };
}

/** Compresses texts one after the other, so that only the compressed ones are in memory. */
export class Compressor {
  readonly #gzip = createGzip({ level: constants.Z_DEFAULT_COMPRESSION });
  readonly #chunks: Buffer[] = [];
  readonly #done: Promise<void>;
  #textBytes = 0;

  constructor() {
    this.#done = new Promise((resolve, reject) => {
      this.#gzip.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
      this.#gzip.on('end', resolve);
      this.#gzip.on('error', reject);
    });
  }

  /** The number of bytes before compression. */
  get textBytes(): number {
    return this.#textBytes;
  }

  async add(text: string): Promise<void> {
    this.#textBytes += Buffer.byteLength(text);
    await new Promise<void>((resolve, reject) => {
      this.#gzip.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  async finish(): Promise<Buffer> {
    this.#gzip.end();
    await this.#done;
    return Buffer.concat(this.#chunks);
  }
}

/** Returns undefined unless the content decompresses to a text of exactly this size. */
export function decompress(content: Buffer, textBytes: number): string | undefined {
  try {
    const text = gunzipSync(content, { maxOutputLength: Math.max(textBytes, 1) });
    return text.length === textBytes ? text.toString('utf8') : undefined;
  } catch {
    return undefined;
  }
}

import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';

/** What a client can say about a request: it happened, it did not, or it cannot tell. */
export type Outcome = 'done' | 'refused' | 'unknown';

/** One request, as its client saw it. Times are those of the machine outside, in milliseconds. */
export interface Entry {
  readonly operation: string;
  /** The id that the request carried, which its audit records carry too. */
  readonly trace: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** 0 if there was no response. */
  readonly status: number;
  readonly outcome: Outcome;
  /** What the response said about a failure. */
  readonly detail?: string;
  /** What the operation was about: ids, numbers of values, what was seen. Never a value of the vault. */
  readonly facts: Facts;
}

export type Facts = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Everything that clients did and saw, in a file with a line for each request. */
export class History {
  readonly entries: Entry[] = [];
  readonly #file: WriteStream;

  constructor(file: string) {
    this.#file = createWriteStream(file);
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    this.#file.write(`${JSON.stringify(entry)}\n`);
  }

  /** A line about the stage, between those about requests. */
  note(what: Readonly<Record<string, unknown>>): void {
    this.#file.write(`${JSON.stringify({ at: Date.now(), ...what })}\n`);
  }

  async close(): Promise<void> {
    this.#file.end();
    await once(this.#file, 'finish');
  }
}

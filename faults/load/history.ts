import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';

/** The outcome as the client knows it: the request happened, it did not, or the client cannot tell. */
export type Outcome = 'done' | 'refused' | 'unknown';

/** A request as its client sees it. Times are in milliseconds, by the clock of the machine that runs the clients. */
export interface Entry {
  readonly operation: string;
  /** The trace id of the request. Its audit records have the same id. */
  readonly trace: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** The HTTP status, or 0 if there was no response. */
  readonly status: number;
  readonly outcome: Outcome;
  /** The error message of the response. */
  readonly detail?: string;
  /**
   * The subject of the operation: ids, numbers of values, and what was seen. It never contains a value of the vault.
   */
  readonly facts: Facts;
}

export type Facts = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Everything that clients did and saw. It is also written to a file, one line per request. */
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

  /** Writes a line about the cluster between the lines about requests. */
  note(what: Readonly<Record<string, unknown>>): void {
    this.#file.write(`${JSON.stringify({ at: Date.now(), ...what })}\n`);
  }

  async close(): Promise<void> {
    this.#file.end();
    await once(this.#file, 'finish');
  }
}

import { readFile } from 'node:fs/promises';
import type pg from 'pg';

const perKibibyte = 1024;

/** Measures the private memory of PostgreSQL's backends for a vault, without the memory they share. */
export class BackendMemory {
  readonly #owner: pg.Pool;
  #startBytes = 0;

  /** Uses the size of the currently smallest backend as the initial size of every backend. */
  static async start(owner: pg.Pool): Promise<BackendMemory> {
    const memory = new BackendMemory(owner);
    const held = await memory.#read(({ RssAnon = 0 }) => RssAnon);
    if (held.length === 0) throw new Error('The vault has no connection yet whose memory could be compared with.');
    memory.#startBytes = Math.min(...held);
    return memory;
  }

  private constructor(owner: pg.Pool) {
    this.#owner = owner;
  }

  /**
   * Returns the maximum number of bytes that any backend has ever held in addition to its initial size. The peak that
   * Linux records includes shared memory, which grows as its pages are touched. Because the current shared memory is
   * subtracted, a new peak is always seen if this is called after each request.
   */
  async peakBytes(): Promise<number> {
    const held = await this.#read(({ VmHWM = 0, RssFile = 0, RssShmem = 0 }) => VmHWM - RssFile - RssShmem);
    return Math.max(0, ...held) - this.#startBytes;
  }

  async #read(toBytes: (fields: Readonly<Record<string, number>>) => number): Promise<number[]> {
    const { rows } = await this.#owner.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and application_name = 'strongroom'`,
    );
    const read = rows.map(async ({ pid }) => toBytes(parseStatus(await readFile(`/proc/${pid}/status`, 'utf8'))));
    // A connection may have closed in the meantime.
    const settled = await Promise.allSettled(read);
    return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  }
}

function parseStatus(text: string): Record<string, number> {
  return Object.fromEntries(
    [...text.matchAll(/^(\w+):\s+(\d+) kB$/gm)].map(([, name = '', kibibytes]) => [
      name,
      perKibibyte * Number(kibibytes),
    ]),
  );
}

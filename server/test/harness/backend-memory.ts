import { readFile } from 'node:fs/promises';
import type pg from 'pg';

const perKibibyte = 1024;

/** What PostgreSQL's backends take for a vault, beyond the memory that all of them share. */
export class BackendMemory {
  readonly #owner: pg.Pool;
  #startBytes = 0;

  /** The least that a backend holds now is what one has at its start. */
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
   * The most that a backend has ever held over its start. The peak that Linux keeps includes shared memory, which only grows while it is
   * touched: taken off as it is now, a peak above all earlier ones is always seen if one looks after each request.
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
    // A connection may be closed just now.
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

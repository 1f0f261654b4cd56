import type { RateLimit } from './rate-limit-table.ts';
import type { RedisLink } from './redis-link.ts';
import type { Count } from './window-counter.ts';

/** One limit that a request counts against. */
export interface Counted {
  /** The key of the counter. It is the same for the same client and scope on every server. */
  readonly key: string;
  readonly limit: RateLimit;
}

interface Waiting {
  readonly counted: readonly Counted[];
  readonly answers: {
    readonly resolve: (counts: Count[]) => void;
    readonly reject: (reason: unknown) => void;
  }[];
}

/** The maximum number of distinct clients per round trip. Further clients wait for the next round trip. */
const clientsPerTrip = 200;

/**
 * Counts in Redis for all servers. All requests that arrive in one turn of the event loop share one round trip, and
 * requests with the same counters are added up. The busier a server is, the less each request costs.
 */
export class SharedCounter {
  readonly #link: RedisLink;
  #waiting = new Map<string, Waiting>();

  constructor(link: RedisLink) {
    this.#link = link;
  }

  /** Counts in the given order. The counters after the first that exceeds its limit are not changed. */
  add(counted: readonly Counted[]): Promise<Count[]> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) setImmediate(() => this.#flush());
      const name = counted.map(({ key }) => key).join(' ');
      const waiting = this.#waiting.get(name);
      if (waiting === undefined) this.#waiting.set(name, { counted, answers: [{ resolve, reject }] });
      else waiting.answers.push({ resolve, reject });
    });
  }

  #flush(): void {
    const all = [...this.#waiting.values()];
    this.#waiting = new Map();
    for (let start = 0; start < all.length; start += clientsPerTrip) {
      void this.#send(all.slice(start, start + clientsPerTrip));
    }
  }

  /** Sends a round trip. Never throws: a failure is passed to all waiting callers. */
  async #send(trip: readonly Waiting[]): Promise<void> {
    try {
      const keys = trip.flatMap(({ counted }) => counted.map(({ key }) => key));
      const values = trip.flatMap(({ counted, answers }) => [
        answers.length,
        counted.length,
        ...counted.flatMap(({ limit }) => [limit.limit, limit.windowMs, limit.blockMs]),
      ]);
      const results = await this.#link.count(keys, values);
      let at = 0;
      for (const { counted, answers } of trip) {
        const own = results.slice(at, at + counted.length * 2);
        at += own.length;
        answers.forEach(({ resolve }, index) => resolve(toCounts(own, index)));
      }
    } catch (error) {
      for (const { answers } of trip) for (const { reject } of answers) reject(error);
    }
  }
}

/**
 * Returns the counts of one request. If requests were counted together, the first ones may be within the limit while
 * the others are not.
 */
function toCounts(results: readonly number[], index: number): Count[] {
  const counts: Count[] = [];
  for (let at = 0; at < results.length; at += 2) {
    counts.push({ isWithin: index < (results[at] ?? 0), msLeft: results[at + 1] ?? 0 });
  }
  return counts;
}

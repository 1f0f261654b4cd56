import type { Job } from './job.ts';

/** One job that does the same on several databases, one after the other. One in trouble does not keep the others from their turn. */
export function jobOnAll<Place>(places: readonly Place[], make: (place: Place) => Job): Job {
  const [first, ...others] = places.map(make);
  if (first === undefined) throw new TypeError('A job needs a database.');
  if (others.length === 0) return first;
  return {
    ...first,
    async run(payload, signal) {
      const failures: unknown[] = [];
      for (const job of [first, ...others]) {
        signal?.throwIfAborted();
        await job.run(payload, signal).catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

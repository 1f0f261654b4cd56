import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { EventPrograms } from '../harness/event-programs.ts';
import type { Reaction } from '../harness/event-receiver.ts';

/*
 * Endpoints that hang, fail or reset connections must not delay the others. The same load runs twice, first with healthy
 * endpoints only. `npm run test:webhooks` runs the long form: 200 events per second for a minute to 20 endpoints.
 */
const rate = Number(process.env['WEBHOOK_RATE'] ?? 20);
const seconds = Number(process.env['WEBHOOK_SECONDS'] ?? 5);
const batchSize = Number(process.env['WEBHOOK_BATCH'] ?? 100);
const ratioMax = 3;
const attemptsMax = 5;
const bytesMax = 512 * 1024 * 1024;
const reactions: readonly Reaction[] = [
  ...Array.from({ length: 5 }, (): Reaction => 'hang'),
  ...Array.from({ length: 5 }, (): Reaction => ({ status: 500, body: 'no' })),
  'reset',
  ...Array.from({ length: 9 }, (): Reaction => ({ status: 204 })),
];
const healthy = reactions.flatMap((reaction, index) =>
  typeof reaction === 'object' && reaction.status === 204 ? [index] : [],
);

let programs: EventPrograms;
beforeAll(async () => {
  programs = await EventPrograms.start();
});
afterAll(() => programs.stop());

interface Round {
  readonly p99Ms: number;
  readonly bytes: number;
}

/** Runs the load once. Only the endpoints that are healthy in both rounds are measured. */
async function run(name: string, reactionOf: (endpoint: number) => Reaction): Promise<Round> {
  const { receiver, url } = programs;
  receiver.react = ({ path }) => reactionOf(Number(path.split('/')[2]));
  const ids: string[] = [];
  for (const endpoint of reactions.keys())
    ids.push(await programs.subscribe({ url: `${url}/${name}/${endpoint}`, batch_size: batchSize }));
  const before = programs.stored.length;
  expect(await programs.storeSteadily({ rate, seconds })).toBe(rate * seconds);
  const wanted = new Set(programs.stored.slice(before));
  const arrivals = new Map(healthy.map((endpoint) => [endpoint, new Map<string, number>()]));
  let seen = 0;
  const note = () => {
    for (const { path, at, events } of receiver.messages.slice(seen)) {
      const arrived = arrivals.get(Number(path.split('/')[2]));
      for (const { data, timestamp } of events) {
        const { id } = data['token'] as { id: string };
        if (arrived !== undefined && !arrived.has(id)) arrived.set(id, at - Date.parse(timestamp));
      }
    }
    seen = receiver.messages.length;
  };
  await untilTrue(
    () => {
      note();
      return [...arrivals.values()].every((arrived) => wanted.isSubsetOf(arrived));
    },
    { waitingFor: 'every event at every healthy endpoint' },
  );
  const delays = [...arrivals.values()].flatMap((arrived) => [...arrived.values()]).toSorted((a, b) => a - b);
  for (const id of ids) await programs.manage('DELETE', `/webhooks/${id}`);
  receiver.messages.length = 0;
  const p99Ms = delays[Math.floor(delays.length * 0.99)] ?? Number.NaN;
  return { p99Ms, bytes: await programs.workerBytes() };
}

it(`healthy endpoints get every event in time, at ${rate}/s for ${seconds} s`, { timeout: 1_800_000 }, async () => {
  // The first events after the start also load code and connections.
  await run('warm', () => ({ status: 204 }));
  // Other work on the machine only adds time, so the best of a few comparisons counts.
  let ratio = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attemptsMax && ratio > ratioMax; attempt += 1) {
    const all = await run(`all-${attempt}`, () => ({ status: 204 }));
    const some = await run(`some-${attempt}`, (endpoint) => reactions[endpoint] ?? 'hang');
    ratio = Math.min(ratio, some.p99Ms / all.p99Ms);
    process.stdout.write(
      `${rate}/s for ${seconds} s to ${reactions.length} endpoints, ${batchSize} in a batch: p99 ${all.p99Ms} ms if all are healthy, ${some.p99Ms} ms with eleven that fail; ${Math.round(some.bytes / 1024 / 1024)} MB\n`,
    );
    expect(some.bytes).toBeLessThan(bytesMax);
  }
  expect(ratio).toBeLessThanOrEqual(ratioMax);
});

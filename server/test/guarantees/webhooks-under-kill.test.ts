import { setTimeout as pauseFor } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { EventPrograms } from '../harness/event-programs.ts';

/** How often a worker or the server is killed. `npm run test:webhooks` kills fifty times. */
const kills = Number(process.env['WEBHOOK_KILLS'] ?? 2);
/** How long everything runs between two kills. */
const runMs = 1_500;
const refusedOneIn = 20;
const passTimeMs = 1_000;

let programs: EventPrograms;
beforeAll(async () => {
  programs = await EventPrograms.start({ workers: 2 });
});
afterAll(() => programs.stop());

it(`no acknowledged event is lost, and repeated ones have the same webhook-id, after ${kills} kills`, async () => {
  const { receiver, url } = programs;
  // Some requests are refused, so that events are waiting when a worker is killed.
  let count = 0;
  receiver.react = () => {
    count += 1;
    return { status: count % refusedOneIn === 0 ? 500 : 204 };
  };
  await programs.subscribe({ url: `${url}/single` });
  await programs.subscribe({ url: `${url}/batches`, batch_size: 50 });
  const over = new AbortController();
  const load = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) if (!(await programs.store())) await pauseFor(50);
  });
  for (let round = 0; round < kills; round += 1) {
    await pauseFor(Math.random() * runMs);
    if (round % 3 === 2) {
      await programs.killServer();
      await programs.startServer();
    } else {
      await programs.killWorker();
      await programs.startWorker();
    }
  }
  over.abort();
  await Promise.all(load);

  const wanted = new Set(programs.stored);
  for (const path of ['/single', '/batches']) await untilAllArrive(path, wanted);
  const messageIds = new Map<string, Set<unknown>>();
  for (const { events, headers } of receiver.at('/single')) {
    const ids = messageIds.get(events[0]?.id ?? '') ?? new Set();
    messageIds.set(events[0]?.id ?? '', ids.add(headers['webhook-id']));
  }
  for (const [id, seen] of messageIds) expect([...seen]).toEqual([id]);
  const repeated = receiver.at('/single').length - messageIds.size;
  process.stdout.write(`${kills} kills: ${wanted.size} events, ${repeated} requests repeated, none lost\n`);
  expect(wanted.size).toBeGreaterThan(kills * 10);
}, 1_800_000);

/** Waits as long as events arrive. While workers are killed few do, so many kills leave a long backlog. */
async function untilAllArrive(path: string, wanted: ReadonlySet<string>): Promise<void> {
  const arrived = new Set<string>();
  let [seen, passedAt] = [0, Number.NEGATIVE_INFINITY];
  const hasMore = async () => {
    if (performance.now() - passedAt > passTimeMs) {
      passedAt = performance.now();
      await programs.passTime();
    }
    const requests = programs.receiver.at(path);
    const before = arrived.size;
    for (const { events } of requests.slice(seen))
      for (const { data } of events) arrived.add((data['token'] as { id: string }).id);
    seen = requests.length;
    return arrived.size > before || wanted.isSubsetOf(arrived);
  };
  do await untilTrue(hasMore, { waitingFor: `another event at ${path}` });
  while (!wanted.isSubsetOf(arrived));
}

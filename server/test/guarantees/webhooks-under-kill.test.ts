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
  for (const path of ['/single', '/batches']) {
    const accepted = new Set<string>();
    let passedAt = Number.NEGATIVE_INFINITY;
    await untilTrue(
      async () => {
        if (performance.now() - passedAt > passTimeMs) {
          passedAt = performance.now();
          await programs.passTime();
        }
        for (const { events } of receiver.at(path))
          for (const { data } of events) accepted.add((data['token'] as { id: string }).id);
        return wanted.isSubsetOf(accepted);
      },
      { waitingFor: `every event at ${path}` },
    );
  }
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

import { setTimeout as pauseFor } from 'node:timers/promises';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { StreamPrograms } from '../harness/stream-programs.ts';

/** How often a worker is killed. `npm run test:streams` kills fifty times. */
const kills = Number(process.env['STREAM_KILLS'] ?? 3);
/** How long everything runs between two kills. */
const runMs = 1_500;
const refusedOneIn = 7;

let programs: StreamPrograms;
beforeAll(async () => {
  programs = await StreamPrograms.start();
});
afterAll(() => programs.stop());

it(`nothing is missing in any stream after ${kills} kills of workers, whatever is repeated`, async () => {
  const { receiver, rsyslog } = programs;
  let count = 0;
  receiver.react = () => {
    count += 1;
    return { status: count % refusedOneIn === 0 ? 503 : 204 };
  };
  const over = new AbortController();
  const load = (async () => {
    while (!over.signal.aborted) {
      await programs.write(200);
      await pauseFor(50);
    }
  })();
  for (let round = 0; round < kills; round += 1) {
    await pauseFor(Math.random() * runMs);
    await programs.killWorker();
    await programs.startWorker();
  }
  over.abort();
  await load;
  await untilEverythingIsSent();

  const https = path.join(programs.directory, 'https.ndjson');
  // Lines that were refused were sent again, so they may all count.
  await writeFile(https, receiver.messages.map(({ body }) => body).join(''));
  const total = await programs.countRecords();
  const copies = { https: [https], file: await programs.listFiles(), syslog: [rsyslog.messagesFile] };
  const repeated: string[] = [];
  for (const [name, files] of Object.entries(copies)) {
    const verdict = await programs.check(...files);
    expect({ name, ...verdict }).toMatchObject({ name, ok: true, findings: [], unreadable: [] });
    expect(verdict.tenants.reduce((sum, { verified }) => sum + verified, 0)).toBe(total);
    repeated.push(`${name} ${verdict.tenants.reduce((sum, tenant) => sum + tenant.repeated, 0)}`);
  }
  process.stdout.write(`${kills} kills: ${total} records in each stream, repeated: ${repeated.join(', ')}\n`);
  expect(total).toBeGreaterThan(kills * 200);
}, 1_800_000);

/** Waits as long as streams move on. While workers are killed they hardly do, so many kills leave a long backlog. */
async function untilEverythingIsSent(): Promise<void> {
  do {
    const before = await programs.countSteps();
    const hasMoved = async () => (await programs.isEverythingSent()) || (await programs.countSteps()) > before;
    await untilTrue(hasMoved, { waitingFor: 'a stream to move on, or all of them to have everything' });
  } while (!(await programs.isEverythingSent()));
}

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jobPace } from '../../src/platform/jobs/job-runner.ts';
import { untilPasses, untilTrue } from '../harness/deadline.ts';
import { EventVault } from '../harness/event-vault.ts';
import { listQueued } from '../harness/queued-jobs.ts';

/*
 * An endpoint that takes long to accept each request never fails. With hundreds of events before it, one pass of its run
 * could take a quarter of an hour. It kept its slot from other tenants for so long, and went on sending to the address
 * after the endpoint was disabled or got another one.
 */
const sliceMs = 2_000;
const inFlight = 8;
const stored = 40;

let events: EventVault;
let ids: string[];
/** Opens the gate, behind which the receiver keeps its responses. */
let open: () => void;
beforeAll(async () => {
  const pace = { ...jobPace, pollSeconds: 0.5, watchSeconds: 1 };
  const timing = { webhookPace: { lingerMs: 500, sliceMs }, jobPace: pace };
  events = await EventVault.start({ hasWorker: false, timing });
});
afterAll(() => events.stop());
beforeEach(() => () => events.stopWorker());

/** Lets a run begin with many events before it, of which the first are sent and wait for their responses. */
async function beginSlowly(path: string): Promise<string> {
  const { id } = await events.subscribe({ url: `${events.url}${path}`, events: ['token.created'] });
  ids = await Promise.all(Array.from({ length: stored }, (_, index) => events.proxy.store(index)));
  closeGate();
  await events.startWorker();
  await untilTrue(() => events.receiver.at(path).length === inFlight, { waitingFor: 'the first requests' });
  return id;
}

function closeGate(): void {
  const gate = Promise.withResolvers<{ status: number }>();
  events.receiver.react = () => gate.promise;
  open = () => gate.resolve({ status: 204 });
}

const passed = (ms: number, since = performance.now()) =>
  untilTrue(() => performance.now() - since > ms, { waitingFor: 'time to pass' });
const idsAt = (path: string) =>
  events.receiver.at(path).flatMap((message) => message.events.map(({ data }) => (data['token'] as { id: string }).id));
const change = async (id: string, path: string, status: string) => {
  const settings = { name: 'Receiver', url: `${events.url}${path}`, events: ['token.created'], status };
  expect((await events.manage('PUT', `/webhooks/${id}`, settings)).status).toBe(200);
};
const listRunning = async (id: string) =>
  (await listQueued(events.vault.database.owner, 'deliver-webhook'))
    .filter(({ key, state }) => key === id && state === 'active')
    .map((job) => job.id);

describe('an endpoint that responds slowly', () => {
  it('gets no more requests at an address that was replaced', async () => {
    const id = await beginSlowly('/replaced');
    await change(id, '/new', 'enabled');
    await passed(1_000);
    open();
    await untilPasses(() => expect(new Set([...idsAt('/replaced'), ...idsAt('/new')])).toEqual(new Set(ids)));
    expect(events.receiver.at('/replaced')).toHaveLength(inFlight);
  });

  it('gets no more requests once it is disabled', async () => {
    const id = await beginSlowly('/disabled');
    await change(id, '/disabled', 'disabled');
    await passed(1_000);
    open();
    await untilPasses(async () => expect(await listRunning(id)).toEqual([]));
    expect(events.receiver.at('/disabled')).toHaveLength(inFlight);
  });

  it('gives way to others after its time, and still gets each event once', async () => {
    const id = await beginSlowly('/slow');
    const [first] = await listRunning(id);
    await passed(sliceMs);
    open();
    closeGate();
    await untilTrue(() => events.receiver.at('/slow').length > inFlight, { waitingFor: 'the next requests' });
    const running = await listRunning(id);
    expect(running).toHaveLength(1);
    expect(running).not.toContain(first);
    open();
    events.receiver.react = () => ({ status: 204 });
    await untilPasses(() => expect(idsAt('/slow').toSorted()).toEqual(ids.toSorted()));
  });
});

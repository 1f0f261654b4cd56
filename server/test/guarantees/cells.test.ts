import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generateApiKey } from '../../src/platform/keyring/sign-in/api-key.ts';
import { CellRouter } from '../harness/cell-router.ts';
import { CellServer } from '../harness/cell-server.ts';
import { ClientLoad } from '../harness/client-load.ts';
import { untilTrue } from '../harness/deadline.ts';

// Two cells behind a router that sends each request to the cell that its key names.

let eu: CellServer;
let us: CellServer;
let router: CellRouter | undefined;
beforeAll(async () => {
  [eu, us] = await Promise.all([CellServer.start('eu1'), CellServer.start('us1')]);
});
afterEach(() => router?.stop());
afterAll(() => Promise.all([eu.stop(), us.stop()]));

/** Sends a request through the router. Returns the status 0 while the router does not listen yet. */
async function ask(url: string, key: string, method: 'GET' | 'POST' = 'GET', path = '/tokens') {
  const headers = { 'bt-api-key': key, 'content-type': 'application/json' };
  const body = method === 'POST' ? { body: JSON.stringify({ type: 'token', data: 'in a cell' }) } : {};
  const response = await fetch(`${url}${path}`, { method, headers, ...body }).catch(() => undefined);
  const json = (await response?.json().catch(() => undefined)) as { id?: string; cell?: string } | undefined;
  return { status: response?.status ?? 0, json };
}

async function untilRouted(url: string): Promise<void> {
  const areReached = async () => {
    const answers = await Promise.all([eu, us].map(({ key }) => ask(url, key)));
    return answers.every(({ status }) => status === 200);
  };
  await untilTrue(areReached, { waitingFor: 'the router to reach both cells' });
}

describe.each([
  { name: 'HAProxy', start: () => CellRouter.startHaproxy([eu, us]) },
  { name: 'nginx', start: () => CellRouter.startNginx([eu, us]) },
])('the recipe for $name', ({ start }) => {
  it('sends each key to its cell, which has its tokens and no others', async () => {
    router = await start();
    const { url } = router;
    await untilRouted(url);
    for (const [own, other] of [
      [eu, us],
      [us, eu],
    ] as const) {
      const made = await ask(url, own.key, 'POST');
      expect(made.status).toBe(201);
      expect((await ask(url, own.key, 'GET', `/tokens/${made.json?.id}`)).status).toBe(200);
      expect((await ask(url, other.key, 'GET', `/tokens/${made.json?.id}`)).status).toBe(404);
    }
  });

  it('lets a cell say that a key belongs to one that the router does not know', async () => {
    router = await start();
    await untilRouted(router.url);
    const { status, json } = await ask(router.url, generateApiKey('test', 'pvt', 'ap1').text);
    expect({ status, cell: json?.cell }).toEqual({ status: 421, cell: 'ap1' });
  });
});

describe('a cell that is killed', () => {
  it('fails no request of the other', async () => {
    router = await CellRouter.startHaproxy([eu, us]);
    const { url } = router;
    await untilRouted(url);
    const load = new ClientLoad({ url, key: us.key });
    await eu.kill();
    await untilTrue(async () => (await ask(url, eu.key)).status === 503, {
      waitingFor: 'the killed cell to be missed',
    });
    const { succeeded } = await load.stop();
    expect(load.failures).toEqual([]);
    expect(succeeded).toBeGreaterThan(0);
  });
});

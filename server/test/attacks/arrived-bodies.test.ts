import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { MeasuredVault } from '../harness/measured-vault.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * Two hundred bodies of 396 KB with 99,000 numbers each took 1.6 GB when they were parsed at the same time, which
 * killed a process with 512 MB. The key of a public application, which is visible in web pages, was sufficient. Half of
 * them would be enough to kill it. `npm run test:bodies` sends all of them.
 */
const count = Number(process.env['ARRIVING_BODIES'] ?? 50);
let vault: TestVault;
let tenant: TestTenant;
let other: TestTenant;
let measured: MeasuredVault;
beforeAll(async () => {
  vault = await TestVault.start();
  [tenant, other] = [await vault.makeTenant(), await vault.makeTenant()];
  vi.stubEnv('MEASURED_NODE_OPTIONS', '--max-old-space-size=512');
  measured = await MeasuredVault.start(vault, other.keys.private);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await measured.stop();
  await vault.stop();
});

const numbers = `[${Array(99_000).fill('1.0').join(',')}]`;
const bodies = {
  'an unknown member': `{"type":"token","data":"x","zz":${numbers}}`,
  'a value to store': `{"type":"token","data":${numbers}}`,
  'no end': `{"type":"token","data":${numbers}`,
} as const;

/** Returns the status of the response, or undefined if the connection broke. */
async function post(body: string, { key, signal }: { key: string; signal?: AbortSignal }): Promise<number | undefined> {
  const headers = { 'bt-api-key': key, 'content-type': 'application/json' };
  try {
    const response = await fetch(`${measured.url}/tokens`, { method: 'POST', headers, body, signal: signal ?? null });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}

/**
 * Sends ordinary requests for another tenant until the returned function is called, which resolves to their statuses.
 */
function probe(): () => Promise<(number | undefined)[]> {
  const end = new AbortController();
  const statuses: (number | undefined)[] = [];
  const probing = (async () => {
    while (!end.signal.aborted) statuses.push(await post('{"type":"token","data":"p"}', { key: other.keys.private }));
  })();
  return async () => {
    end.abort();
    await probing;
    return statuses;
  };
}

const floodOf = (bodyCount: number, body: string, signal?: AbortSignal) =>
  Promise.all(
    Array.from({ length: bodyCount }, () =>
      post(body, { key: tenant.keys.public, ...(signal === undefined ? {} : { signal }) }),
    ),
  );

describe(`${count} bodies of many values at a time`, () => {
  it.each(Object.entries(bodies))('are handled or refused, and others served: %s', async (_name, body) => {
    const finish = probe();
    const statuses = await floodOf(count, body);
    expect(new Set(await finish())).toEqual(new Set([201]));
    const handled = statuses.filter((status) => status !== 503);
    // The number depends on the machine, because a body that has waited for seconds is refused. Bodies that are
    // admitted immediately are always handled.
    expect(handled.length).toBeGreaterThanOrEqual(4);
    expect(new Set(handled).size).toBe(1);
    expect(handled[0]).toBe(body === bodies['no end'] ? 400 : 201);
    expect(await measured.residentMebibytes()).toBeLessThan(900);
  });

  it('hold nothing once their clients have gone', async () => {
    const controller = new AbortController();
    const flood = floodOf(count, bodies['an unknown member'], controller.signal);
    await post(bodies['an unknown member'], { key: other.keys.private });
    controller.abort();
    await flood;
    // One client may have at most four bodies of the maximum size in memory.
    const large = JSON.stringify({ type: 'token', data: 'x' }).padEnd(4 * 1024 * 1024, ' ');
    const four = () => Promise.all(Array.from({ length: 4 }, () => post(large, { key: tenant.keys.private })));
    const isFree = async () => (await four()).every((status) => status === 201);
    await untilTrue(isFree, { waitingFor: 'memory to be given back' });
  });
});

import { describe, expect, inject, it } from 'vitest';
import { browserClientName, openBrowserClient } from '../harness/browser-client.ts';
import { newest, older, openEarlier } from '../harness/node-clients.ts';
import { thrownBy } from '../harness/thrown-by.ts';

const { url, keys } = inject('limitedVault');
const searchesMax = 50;
/** The shortest time for which an address is blocked. */
const blockMs = 10_000;
const attemptsMax = 10;
const request = { query: 'id:none' };

/**
 * Searches until the address is blocked. Calls from a client with the same address are refused from then on. Returns
 * the time of the first search. The block lasts ten seconds from that time, or slightly longer on a busy machine.
 */
async function exhaust(address: string): Promise<number> {
  const beganAt = performance.now();
  const search = () =>
    fetch(`${url}/tokens/search`, {
      method: 'POST',
      headers: { 'bt-api-key': keys.private, 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify(request),
    });
  const answers = await Promise.all(Array.from({ length: searchesMax + 1 }, search));
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
  return beganAt;
}

/**
 * Makes a call from an address that is blocked. On a busy machine, the block may be over before the call is. Such a
 * call proves nothing and is repeated from another address of the network.
 */
async function whileBlocked<T>(network: string, call: (address: string) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const address = `${network}.${attempt}`;
    const blockedAt = await exhaust(address);
    const [outcome] = await Promise.allSettled([call(address)]);
    const wasBlocked = performance.now() - blockedAt < blockMs;
    if (!wasBlocked && attempt < attemptsMax) continue;
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }
}

const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
async function timed<T>(work: Promise<T>, startedAt = performance.now()): Promise<{ result: T; seconds: number }> {
  const result = await work;
  return { result, seconds: (performance.now() - startedAt) / 1_000 };
}

// These tests run concurrently because they mostly wait.
describe.concurrent('after 429', () => {
  describe(newest.name, () => {
    describe('retries after 429', () => {
      it('wait as long as Retry-After says and succeed', async () => {
        const blockedAt = await exhaust('192.0.2.1');
        const exhaustedAfter = (performance.now() - blockedAt) / 1_000;
        const client = newest.open(keys.private, url);
        const { result, seconds } = await timed(client.tokens.searchV2(request, from('192.0.2.1')), blockedAt);
        expect(result.data).toEqual([]);
        expect(seconds).toBeGreaterThan(8);
        expect(seconds).toBeLessThan(13 + exhaustedAfter * 2);
      });

      it('can be disabled', async () => {
        const client = newest.open(keys.private, url);
        const error = await whileBlocked('198.51.100', (address) =>
          thrownBy(client.tokens.searchV2(request, { ...from(address), maxRetries: 0 })),
        );
        expect(error).toBeInstanceOf(newest.errors.any);
        expect(error).toMatchObject({ statusCode: 429, body: { status: 429, title: 'Too Many Requests' } });
      });
    });
  });

  describe(older.name, () => {
    describe('retries after 429', () => {
      it('use the timing of this version, which ignores Retry-After: four retries outlast the block', async () => {
        const blockedAt = await exhaust('192.0.2.3');
        const client = openEarlier(keys.private, url);
        const options = { ...from('192.0.2.3'), maxRetries: 4 };
        const { result, seconds } = await timed(client.tokens.search(request, options), blockedAt);
        expect(result.data).toEqual([]);
        expect(seconds).toBeGreaterThan(8);
      });

      it('are too few and too early by default, so the error is 429', async () => {
        const client = openEarlier(keys.private, url);
        const { result: error, seconds } = await whileBlocked('203.0.113', (address) =>
          timed(thrownBy(client.tokens.search(request, from(address)))),
        );
        expect(error).toMatchObject({ statusCode: 429 });
        expect(seconds).toBeGreaterThan(2);
        expect(seconds).toBeLessThan(8);
      });
    });
  });

  describe(browserClientName, () => {
    describe('retries after 429', () => {
      it('are not supported by this client, so the error is 429', async () => {
        const client = await openBrowserClient(keys.private, url);
        const error = await whileBlocked('198.18.0', (address) =>
          thrownBy(client.tokens.search(request, { apiKey: keys.private, ...from(address) })),
        );
        expect(error).toMatchObject({ status: 429, data: { title: 'Too Many Requests' } });
      });
    });
  });
});

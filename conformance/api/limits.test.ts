import { describe, expect, inject, it } from 'vitest';
import { ApiCaller, type Answer } from '../harness/api-caller.ts';

const vault = inject('limitedVault');
const caller = new ApiCaller(vault, vault.keys.private);
type Send = (headers: Readonly<Record<string, string>>) => Promise<Answer>;

/** Sends requests from one address in batches, and returns how many were refused. */
async function countRefused(send: Send, address: string, amount: number): Promise<number> {
  const headers = { 'x-forwarded-for': address };
  let refused = 0;
  for (let sent = 0; sent < amount; sent += 50) {
    const batch = Array.from({ length: Math.min(50, amount - sent) }, () => send(headers));
    refused += (await Promise.all(batch)).filter(({ status }) => status === 429).length;
  }
  return refused;
}

const unread =
  (method: string, path: string, body?: unknown): Send =>
  (headers) =>
    caller.ask(method, path, { headers, ...(body === undefined ? {} : { body }) });
const global = unread('GET', '/permissions');
const list = unread('GET', '/tokens?size=1');
const search = unread('POST', '/tokens/search', { size: 1 });
const create = unread('POST', '/tokens', { type: 'token', data: 'x' });
const tokenize = unread('POST', '/tokenize', { a: 1 });

const windowMs = 10_000;
const attemptsMax = 20;

/**
 * Sends requests up to a limit, and one more. If a busy machine takes longer than the limit's window, it tries again.
 */
async function exceed(send: Send, limit: number, network: string): Promise<{ refused: number; next: number }> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const address = `${network}.${attempt}`;
    const startedAt = Date.now();
    const refused = await countRefused(send, address, limit);
    const next = await send({ 'x-forwarded-for': address });
    if (Date.now() - startedAt < windowMs) return { refused, next: next.status };
  }
  throw new Error(`${limit} requests took longer than ten seconds each time.`);
}

describe.concurrent('Limits', () => {
  it('blocked for ten seconds after the limit was exceeded', async () => {
    const startedAt = Date.now();
    expect(await countRefused(search, '198.51.100.9', 51)).toBe(1);
    const from = { 'x-forwarded-for': '198.51.100.9' };
    const blockedAt = Date.now();
    const answer = await search(from);
    expect(answer.status).toBe(429);
    const elapsedSeconds = Math.ceil((Date.now() - startedAt) / 1_000);
    const retryAfter = Number(answer.headers.get('retry-after'));
    expect(retryAfter).toBeLessThanOrEqual(10);
    expect(retryAfter).toBeGreaterThanOrEqual(10 - elapsedSeconds);
    for (let sentAt = Date.now(); (await search(from)).status === 429; sentAt = Date.now()) {
      expect(sentAt - blockedAt).toBeLessThan(11_000);
      // The delay keeps the number of retries low, because a refused request counts too.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(Date.now() - startedAt).toBeGreaterThan(9_500);
  });

  it.each([
    ['any request', 1_000, global, '198.51.101'],
    ['anything under /portal/', 600, unread('GET', '/portal/nothing'), '198.51.102'],
    ['POST /tokens/search', 50, search, '198.51.103'],
    ['GET /tokens', 100, list, '198.51.104'],
    ['POST /tokens', 200, create, '198.51.105'],
    ['POST /tokenize', 200, tokenize, '198.51.106'],
  ] as const)('%s: %i in ten seconds, and the next is refused with 429', async (_name, limit, send, network) => {
    expect(await exceed(send, limit, network)).toEqual({ refused: 0, next: 429 });
  });

  it('POST /tokens and POST /tokenize are counted together', async () => {
    expect(await countRefused(create, '198.51.100.6', 100)).toBe(0);
    expect(await countRefused(tokenize, '198.51.100.6', 100)).toBe(0);
    expect(await countRefused(create, '198.51.100.6', 1)).toBe(1);
  });

  it('counted per address of the client: another one is not refused', async () => {
    expect(await countRefused(search, '198.51.100.7', 51)).toBe(1);
    expect(await countRefused(search, '198.51.100.8', 1)).toBe(0);
  });
});

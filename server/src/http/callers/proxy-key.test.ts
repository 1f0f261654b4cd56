import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createQuietEdge } from '../../../test/harness/quiet-edge.ts';
import { type ApplicationId, type TenantId, toId } from '../../core/identity/ids.ts';
import { splitQuery } from './proxy-key.ts';

type Edge = Awaited<ReturnType<typeof createQuietEdge>>;
const ids = { first: crypto.randomUUID(), second: crypto.randomUUID() } as const;
const lent = { applicationId: toId<ApplicationId>(crypto.randomUUID()), grants: { rules: [] }, isUsable: true };
const tenantId = toId<TenantId>(crypto.randomUUID());

let edge: Edge;
beforeAll(async () => {
  edge = await createQuietEdge({
    proxyKeys: {
      find: async (key) => {
        const id = key === 'first' ? ids.first : key === 'second' ? ids.second : undefined;
        return id && { id, tenantId, version: 1, requireAuth: false, allowedSources: [], isTenantDeleted: false, lent };
      },
    },
  });
  edge.get('/call', { config: { permission: 'token:use', takesProxyKey: true } }, () => 'called');
  edge.get('/other', { config: { permission: 'token:use' } }, () => 'called');
});
afterAll(() => edge.close());

const call = (key: string, options: { readonly url?: string; readonly from?: string } = {}) =>
  edge.inject({
    url: options.url ?? '/call',
    headers: { 'bt-proxy-key': key },
    remoteAddress: options.from ?? '198.51.100.1',
  });

describe('a request without an API key', () => {
  it('is admitted by the key of a proxy, on routes that take one', async () => {
    expect((await call('first', { from: '192.0.2.9' })).statusCode).toBe(200);
    expect((await call('first', { url: '/other', from: '192.0.2.9' })).statusCode).toBe(401);
  });

  it('is limited for each proxy and address', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 51; count += 1) statuses.push((await call('first')).statusCode);
    expect(statuses.slice(0, 50).every((status) => status === 200)).toBe(true);
    expect(statuses.at(-1)).toBe(429);
    expect((await call('second')).statusCode).toBe(200);
    expect((await call('first', { from: '203.0.113.1' })).statusCode).toBe(200);
  });

  it('that guesses keys of proxies is blocked like one that guesses API keys', async () => {
    const from = '203.0.113.77';
    const statuses: number[] = [];
    for (let count = 0; count < 102; count += 1) statuses.push((await call(`guess-${count}`, { from })).statusCode);
    expect(statuses[0]).toBe(401);
    expect(statuses.at(-1)).toBe(429);
    expect((await call('second', { from })).statusCode).toBe(429);
  });
});

describe('splitQuery', () => {
  it('keeps the rest of the query as it was written', () => {
    expect(splitQuery('a=%20&BT-PROXY-KEY=k1&b=+')).toEqual({ key: 'k1', rest: 'a=%20&b=+' });
    expect(splitQuery('a=1')).toEqual({ key: undefined, rest: 'a=1' });
    expect(splitQuery('')).toEqual({ key: undefined, rest: '' });
  });
});

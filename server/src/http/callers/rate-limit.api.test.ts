import { afterEach, describe, expect, inject, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { observeBlock } from '../../../test/harness/observed-block.ts';
import { type TestResponse, TestVault } from '../../../test/harness/test-vault.ts';
import { parsePeerRange } from '../../core/network/peer-address.ts';
import type { LimitsConfig } from '../../platform/config/limits-settings.ts';
import { generateApiKey } from '../../platform/keyring/sign-in/api-key.ts';
import { recordOf } from '../../core/objects/keys-of.ts';
import { rateLimitScopes, rateLimitTable, withLimits } from '../../platform/rate-limit/rate-limit-table.ts';

const vaults: TestVault[] = [];
afterEach(async () => {
  for (const vault of vaults.splice(0)) await vault.stop();
});

async function start(limits: Partial<LimitsConfig>): Promise<TestVault> {
  const vault = await TestVault.start(undefined, { limits });
  vaults.push(vault);
  return vault;
}

async function statuses(count: number, send: () => Promise<TestResponse>): Promise<Record<number, number>> {
  const answers: TestResponse[] = [];
  // Requests are sent in rounds, so that a thousand of them do not open a thousand connections.
  for (let left = count; left > 0; left -= 50) {
    answers.push(...(await Promise.all(Array.from({ length: Math.min(left, 50) }, send))));
  }
  const tally: Record<number, number> = {};
  for (const { status } of answers) tally[status] = (tally[status] ?? 0) + 1;
  return tally;
}

/** The real limits, with a window so long that it does not end during a test, even on a slow machine. */
const unhurried = recordOf(rateLimitScopes, (scope) => ({ ...rateLimitTable[scope], windowMs: 3_600_000 }));
const search = { query: '' };
const token = { type: 'token', data: 'x' };

describe('the limits of the API', () => {
  it.each<[string, number, [string, string, object?][]]>([
    [
      'POST /tokens and POST /tokenize',
      200,
      [
        ['POST', '/tokens', token],
        ['POST', '/tokenize', { a: 'x' }],
      ],
    ],
    [
      'lists',
      100,
      [
        ['GET', '/tokens'],
        ['GET', '/v2/tokens'],
        ['GET', '/tokens/'],
        ['HEAD', '/tokens'],
      ],
    ],
    [
      'searches',
      50,
      [
        ['POST', '/tokens/search', search],
        ['POST', '/v2/tokens/search', search],
      ],
    ],
    [
      'all requests',
      1_000,
      [
        ['GET', '/roles'],
        ['GET', '/tokens/none'],
        ['GET', '/nowhere'],
        ['GET', '/tokens/%zz'],
        ['GET', '/docs/errors'],
      ],
    ],
    [
      'the portal',
      600,
      [
        ['GET', '/portal/'],
        ['GET', '/portal/members'],
      ],
    ],
  ])('let %s through %i times', async (_name, limit, routes) => {
    const vault = await start({ table: unhurried });
    const { keys } = await vault.makeTenant();
    let turn = 0;
    const send = () => {
      const [method, path, body] = routes[turn++ % routes.length] ?? ['GET', '/'];
      return vault.request(method, path, { key: keys.private, ...(body === undefined ? {} : { body }) });
    };
    const tally = await statuses(limit + 20, send);
    expect(tally[429]).toBe(20);
    // Other routes are not affected, except by the limit on all requests.
    const other = await vault.request('GET', '/tokens/none', { key: keys.private });
    expect(other.status).toBe(limit === 1_000 ? 429 : 404);
  });

  it('count whatever a request is answered with: bad keys, bad bodies, unknown paths', async () => {
    const vault = await start({ table: withLimits({ global: 8 }) });
    const { keys } = await vault.makeTenant();
    const sent = [
      await vault.request('GET', '/roles'),
      await vault.request('GET', '/roles', { key: 'nonsense' }),
      await vault.request('POST', '/tokens', { key: keys.private, rawBody: '{' }),
      await vault.request('PUT', '/tokens', { key: keys.private }),
      await vault.request('GET', '/nowhere'),
      await vault.request('GET', '/tokens/%zz'),
      await vault.request('OPTIONS', '/tokens'),
      await vault.request('GET', '/openapi.json'),
      await vault.request('GET', '/roles', { key: keys.private }),
      await vault.request('GET', '/tokens/%zz'),
    ];
    expect(sent.map(({ status }) => status)).toEqual([401, 401, 400, 405, 404, 404, 204, 200, 429, 429]);
  });

  it('let everything through where they are off, except guesses', async () => {
    const vault = await start({ table: withLimits({ global: 1, 'key-guessing': 3 }), countsRequests: false });
    const { keys } = await vault.makeTenant();
    expect(await statuses(50, () => vault.request('GET', '/roles', { key: keys.private }))).toEqual({ 200: 50 });
    expect(await statuses(5, () => vault.request('GET', '/roles', { key: 'guess' }))).toEqual({ 401: 3, 429: 2 });
  });
});

describe('429', () => {
  it('says which limit it was and when to come back, in every form that clients read', async () => {
    const vault = await start({ table: withLimits({ 'token-write': 1 }) });
    const { keys } = await vault.makeTenant();
    const send = () => vault.request('POST', '/tokens', { key: keys.private, body: token });
    expect((await send()).status).toBe(201);
    const before = Date.now();
    const answer = await send();
    expect(answer.status).toBe(429);
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer.body).toEqual({
      type: '/docs/errors/rate-limited',
      title: 'Too Many Requests',
      status: 429,
      detail: expect.any(String),
      instance: '/tokens',
      trace_id: answer.headers.get('bt-trace-id'),
    });
    expect(answer.headers.get('retry-after')).toBe('10');
    expect(answer.headers.get('ratelimit')).toBe('"token-write";r=0;t=10');
    expect(answer.headers.get('ratelimit-policy')).toBe('"token-write";q=1;w=10');
    const resetsAt = Number(answer.headers.get('x-ratelimit-reset')) * 1_000;
    expect(resetsAt - before).toBeGreaterThanOrEqual(10_000);
    expect(resetsAt - before).toBeLessThan(12_000);
  });

  it('comes before a key is looked up or a body is read', async () => {
    const vault = await start({ table: withLimits({ global: 1 }) });
    await vault.request('GET', '/roles');
    const answer = await vault.request('POST', '/tokens', { rawBody: '{', headers: { 'content-type': 'x' } });
    expect(answer.status).toBe(429);
  });

  it('ends ten seconds after the request that was too many, to within 200 ms', async () => {
    const vault = await start({ table: withLimits({ global: 20 }) });
    const send = () => vault.request('GET', '/docs/errors');
    expect(await statuses(20, send)).toEqual({ 200: 20 });
    const block = await observeBlock(async () => (await send()).status === 429);
    expect(block.atLeastMs).toBeLessThan(10_200);
    expect(block.atMostMs).toBeGreaterThan(9_800);
    expect(await statuses(20, send)).toEqual({ 200: 19, 429: 1 });
  });
});

describe('two servers with Redis', () => {
  it('let through together what the limit allows', async () => {
    const vault = await start({
      table: withLimits({ 'token-write': 30 }),
      redisUrl: inject('redisUrl'),
      redisWaitMs: 2_000,
    });
    const other = await vault.startAnother();
    const { keys } = await vault.makeTenant();
    for (const server of [vault.server, other]) await untilCountsTogether(vault, server.adminUrl);
    let turn = 0;
    const tally = await statuses(100, () =>
      vault.request('POST', '/tokens', {
        key: keys.private,
        body: token,
        ...(turn++ % 2 === 0 ? {} : { url: other.url }),
      }),
    );
    expect(tally).toEqual({ 201: 30, 429: 70 });
  });
});

async function untilCountsTogether(vault: TestVault, url: string): Promise<void> {
  const isShared = async () => {
    const { text } = await vault.request('GET', '/metrics', { url });
    return text.includes('strongroom_rate_limits_shared 1') && text.includes('strongroom_rate_limits_servers 2');
  };
  await untilTrue(isShared, { waitingFor: 'the server to count in Redis' });
}

describe('the address of a client', () => {
  const spoofed = [
    { 'x-forwarded-for': '203.0.113.1' },
    { 'x-forwarded-for': '203.0.113.2, 203.0.113.3' },
    { 'x-real-ip': '203.0.113.4' },
    { forwarded: 'for=203.0.113.5' },
    { 'true-client-ip': '203.0.113.6' },
    { 'cf-connecting-ip': '203.0.113.7' },
    { 'x-client-ip': '203.0.113.8' },
    { via: '1.1 203.0.113.9' },
  ];

  it('is not what a client claims', async () => {
    const vault = await start({ table: withLimits({ global: 3 }) });
    const answers = [];
    for (const headers of spoofed) answers.push((await vault.request('GET', '/docs/errors', { headers })).status);
    expect(answers).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
  });

  it('is what a trusted proxy says, and nothing that stands before it', async () => {
    const trustedProxies = [parsePeerRange('127.0.0.0/8') ?? []].flat();
    const vault = await start({ table: withLimits({ global: 3 }), trustedProxies });
    const send = async (forwardedFor: string) =>
      (await vault.request('GET', '/docs/errors', { headers: { 'x-forwarded-for': forwardedFor } })).status;
    for (let count = 0; count < 3; count += 1) expect(await send(`198.51.100.${count}, 203.0.113.1`)).toBe(200);
    expect(await send('203.0.113.1')).toBe(429);
    expect(await send('198.51.100.77, 203.0.113.1, 127.0.0.9')).toBe(429);
    expect(await send('203.0.113.2')).toBe(200);
    for (const last of ['1', 'ffff:1', 'b:c:d']) expect(await send(`2001:db8:1:2::${last}`)).toBe(200);
    expect(await send('2001:db8:1:2:5::')).toBe(429);
    expect(await send('2001:db8:1:3::1')).toBe(200);
    expect(await send('::ffff:203.0.113.1')).toBe(429);
  });

  it('stands in the audit record, as limits see it', async () => {
    const trustedProxies = [parsePeerRange('127.0.0.1') ?? []].flat();
    const vault = await start({ trustedProxies });
    const tenant = await vault.makeTenant();
    const headers = { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' };
    await vault.request('POST', '/tokens', { key: tenant.keys.private, body: token, headers });
    expect(await vault.auditRecords(tenant.id)).toContainEqual(
      expect.objectContaining({ entity_type: 'token', source_address: '203.0.113.9' }),
    );
  });
});

describe('guessing keys', () => {
  it('is stopped, for good keys from that address too, before one is looked up', async () => {
    const vault = await start({ table: withLimits({ 'key-guessing': 5 }) });
    const { keys } = await vault.makeTenant();
    const guess = () => vault.request('GET', '/roles', { key: generateApiKey('test', 'pvt').text });
    expect(await statuses(7, guess)).toEqual({ 401: 5, 429: 2 });
    const answer = await vault.request('GET', '/roles', { key: keys.private });
    expect(answer.status).toBe(429);
    expect(answer.headers.get('ratelimit-policy')).toBe('"key-guessing";q=5;w=10');
    expect((await vault.request('GET', '/docs/errors')).status).toBe(200);
  });

  it('is not what a request without a key does', async () => {
    const vault = await start({ table: withLimits({ 'key-guessing': 2 }) });
    expect(await statuses(10, () => vault.request('GET', '/roles'))).toEqual({ 401: 10 });
  });
});

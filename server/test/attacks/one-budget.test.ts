import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fastest } from '../harness/deadline.ts';
import {
  fullWeight,
  patch,
  post,
  times,
  tokenListShapes,
  tokenOf,
  valueShapes,
  type Weight,
} from '../harness/heavy-requests.ts';
import { type MeasuredResponse, type MeasuredRequest, MeasuredVault } from '../harness/measured-vault.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/*
 * Issue 16, point 3: evaluating, hashing, sealing and writing share one budget per request and yield to the event loop
 * in between. Each case is a request of less than a megabyte that used to block the process for longer than 50 ms, in
 * some cases for a second.
 */
/**
 * A quiet machine needs 1,500 ms. The limit is higher because this test runs concurrently with others, and only the
 * length of a turn matters to those.
 */
const workMsMax = 6_000;

let vault: TestVault;
let tenant: TestTenant;
let measured: MeasuredVault;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  measured = await MeasuredVault.start(vault, tenant.keys.private);
});
afterAll(async () => {
  await measured.stop();
  await vault.stop();
});

async function measure(request: MeasuredRequest): Promise<MeasuredResponse> {
  const answer = await measured.measureShort(request);
  expect(answer.longestMs).toBeLessThan(measured.turnMaxMs);
  // The total time is not used, because the loop spends more idle time if the database is slow and busy with other
  // work.
  expect(answer.workMs).toBeLessThan(workMsMax);
  return answer;
}

describe('a value of a megabyte', () => {
  it.each(Object.entries(valueShapes))('is stored, or refused, in short turns: %s', async (_name, make) => {
    const answer = await measure(post('/tokens', tenant.keys.public, tokenOf(make(fullWeight))));
    expect([201, 400]).toContain(answer.status);
  });

  it.each(['a wide object', 'an object of numbered names', 'deep objects', 'long names'] as const)(
    'is merged in short turns: %s',
    async (name) => {
      const key = tenant.keys.private;
      const made = await measured.send(post('/tokens', key, tokenOf('{"a":1}')));
      const { id } = JSON.parse(made.text) as { id: string };
      const text = valueShapes[name]({ ...fullWeight, bytes: 500_000 });
      expect((await measure(patch(id, key, `{"data":{"more":${text}}}`))).status).toBe(200);
      expect((await measure(patch(id, key, '{"data":{"b":2}}'))).status).toBe(200);
      expect((await measure(patch(id, key, `{"mask":${text}}`))).status).toBe(400);
    },
  );

  it.each(['card_mask', 'upcase', 'stringify', 'reveal_last: 4'])(
    'is inserted many times in short turns: %s',
    async (filter) => {
      const text = JSON.stringify('é'.repeat(130_000));
      const made = await measured.send(post('/tokens', tenant.keys.private, tokenOf(text)));
      const { id } = JSON.parse(made.text) as { id: string };
      const references = times(30, () => `{{ ${id} | ${filter} }}`);
      const answer = await measure(post('/detokenize', tenant.keys.reveal, JSON.stringify(references)));
      expect(answer.status).toBe(200);
    },
  );

  it.each(['a wide object', 'an array of digits', 'an array of small objects', 'deep arrays'] as const)(
    'is walked through by other routes in short turns: %s',
    async (name) => {
      const text = valueShapes[name](fullWeight);
      await measure(post('/tokenize', tenant.keys.private, text));
      await measure(post('/detokenize', tenant.keys.private, text));
      await measure(post('/tokens', tenant.keys.private, `{"type":"token","data":1,"mask":${text}}`));
      await measure(post('/tokens', tenant.keys.private, `{"type":"token","data":1,"metadata":${text}}`));
      await measure(post('/tokens', tenant.keys.private, `{"type":"card","data":${text}}`));
      await measure(post('/applications', tenant.keys.management, `{"name":"x","type":"private","rules":${text}}`));
    },
  );
});

describe('many tokens in a request', () => {
  it.each(Object.entries(tokenListShapes))('are made, or refused, in short turns: %s', async (_name, make) => {
    const answer = await measure(post('/tokenize', tenant.keys.private, make(fullWeight)));
    expect([200, 400]).toContain(answer.status);
  });

  it.each<[string, Partial<Weight>, string]>([
    ['1,000 tokens with 50 metadata keys', {}, 'many tokens with metadata'],
    ['1,000 tokens with 20 search indexes', {}, 'many tokens with search indexes'],
    ['200 tokens with 32 masks', { tokens: 200 }, 'many tokens with masks'],
  ])('may be %s', async (_what, weight, name) => {
    const make = tokenListShapes[name as keyof typeof tokenListShapes];
    const answer = await measure(post('/tokenize', tenant.keys.private, make({ ...fullWeight, ...weight })));
    expect(answer.status).toBe(200);
  });

  it('have as many metadata pairs and search indexes together as the budget says', async () => {
    const make = tokenListShapes['many tokens with metadata and search indexes'];
    const answer = await measured.send(post('/tokenize', tenant.keys.private, make(fullWeight)));
    expect(JSON.parse(answer.text)).toMatchObject({
      status: 400,
      detail: 'The tokens in a request can have at most 60000 metadata pairs and search indexes in total.',
    });
  });

  it('are refused where their expressions read too much together, and nothing of them is stored', async () => {
    const other = await vault.makeTenant();
    const make = tokenListShapes['many tokens with masks'];
    const answer = await measured.send(post('/tokenize', other.keys.private, make(fullWeight)));
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('expressions in a request');
    const list = await measured.send({ method: 'GET', path: '/tokens', key: other.keys.private });
    expect(JSON.parse(list.text)).toMatchObject({ data: [] });
  });
});

describe('lists', () => {
  it('of tokens with expensive masks are shown in short turns', async () => {
    const other = await vault.makeTenant();
    const key = other.keys.private;
    const make = tokenListShapes['many tokens with masks'];
    expect((await measured.send(post('/tokenize', key, make({ ...fullWeight, tokens: 100 })))).status).toBe(200);
    expect((await measure({ method: 'GET', path: '/tokens?size=100', key })).status).toBe(200);
    expect((await measure({ method: 'GET', path: '/v2/tokens?size=100', key })).status).toBe(200);
    expect((await measure(post('/tokens/search', key, { query: 'type:token', size: 100 }))).status).toBe(200);
  });

  it('of large masked tokens are shown in short turns', async () => {
    const other = await vault.makeTenant();
    const key = other.keys.private;
    const data = valueShapes['a wide object']({ ...fullWeight, bytes: 300_000 });
    for (const _ of times(10, String))
      await measured.send(post('/tokens', key, tokenOf(data, { mask: '{{ data.k1 }}' })));
    expect((await measure({ method: 'GET', path: '/tokens?size=100', key })).status).toBe(200);
  });

  it.each([['é'], ['👍'], ['x👍'], ['xxxxxxxxx€']])(
    'of the largest tokens, of %s, are sent whole, in short turns',
    async (characters) => {
      const other = await vault.makeTenant();
      const data = characters.repeat(3_900_000 / Buffer.byteLength(characters));
      for (const _ of times(3, String))
        await measured.send(post('/tokens', other.keys.public, { type: 'token', data }));
      const answer = await measure({ method: 'GET', path: '/v2/tokens?size=100', key: other.keys.reveal });
      const { data: shown } = JSON.parse(answer.text) as { data: { data: string }[] };
      expect(shown.map((token) => token.data === data)).toEqual([true, true, true]);
    },
  );
});

describe('several heavy requests at once', () => {
  it('leave each turn short', async () => {
    const request = post('/tokens', tenant.keys.private, tokenOf(valueShapes['a wide object'](fullWeight)));
    const limitMs = 2 * measured.turnMaxMs;
    const measureOnce = async () => (await measured.measureAll(times(6, () => request))).longestMs;
    expect(await fastest(measureOnce, { enoughMs: limitMs })).toBeLessThan(limitMs);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passesLuhn } from '../../src/core/token-types/field-checks.ts';
import { makeCardNumber } from '../harness/card-number.ts';
import { ProxyVault } from '../harness/proxy-vault.ts';
import { createApplication } from '../harness/test-application.ts';
import type { TestResponse, TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * A mask that shows the BIN and the last four digits leaves a thousand candidates, and a fingerprint reveals which one
 * is right. A fingerprint is therefore shown only if the data could be shown too, or if the tenant allows it.
 */
let proxied: ProxyVault;
let vault: TestVault;
let open: Scene;
let strict: Scene;
beforeAll(async () => {
  proxied = await ProxyVault.start({
    behaviour: (socket, { body }) =>
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body.toString()}`),
  });
  vault = proxied.vault;
  open = await setScene();
  strict = await setScene({ fingerprint_visibility: 'reveal' });
});
afterAll(() => proxied.stop());

/** A tenant with a card stored by somebody else, and the callers that try to get its number. */
interface Scene {
  readonly tenant: TestTenant;
  readonly id: string;
  readonly number: string;
  readonly fingerprint: string;
  readonly keys: Readonly<Record<CallerName, string>>;
}
type CallerName = 'public' | 'session' | 'revealing session' | 'redacting' | 'masking' | 'revealing';

const everything = ['token:create', 'token:update', 'token:read', 'token:search', 'token:use'];
const withoutUse = everything.filter((permission) => permission !== 'token:use');
const ruleOf = (transform: string, permissions = withoutUse) => ({
  description: transform,
  priority: transform === 'reveal' ? 2 : 1,
  container: '/',
  transform,
  permissions,
});
const use = ruleOf('reveal', ['token:use']);

async function setScene(settings: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const tenant = await vault.makeTenant();
  await settle(tenant, settings);
  const number = makeCardNumber();
  const stored = await create(tenant.keys.reveal, { type: 'card', data: { number } });
  const { id } = bodyOf(stored);
  const { fingerprint = '' } = bodyOf(await call(tenant.keys.reveal, 'GET', `/tokens/${id}`));
  if (fingerprint === '') throw new Error('The scene has no fingerprint to look for.');
  const keyOf = async (wanted: Readonly<Record<string, unknown>>) =>
    (await createApplication(vault, tenant, wanted)).key;
  return {
    tenant,
    id,
    number,
    fingerprint,
    keys: {
      public: await keyOf({ type: 'public', permissions: ['token:create', 'token:update'] }),
      session: await openSession(tenant, [ruleOf('mask'), use]),
      'revealing session': await openSession(tenant, [ruleOf('reveal', everything)]),
      redacting: await keyOf({ permissions: [], rules: [ruleOf('redact'), use] }),
      masking: await keyOf({ permissions: everything, rules: [] }),
      revealing: await keyOf({ permissions: [], rules: [ruleOf('reveal', everything)] }),
    },
  };
}

async function openSession(tenant: TestTenant, rules: readonly object[]): Promise<string> {
  const { session_key, nonce } = bodyOf(await call(tenant.keys.public, 'POST', '/sessions')) as unknown as {
    session_key: string;
    nonce: string;
  };
  const answer = await call(tenant.keys.reveal, 'POST', '/sessions/authorize', { nonce, rules });
  if (answer.status !== 200) throw new Error(answer.text);
  return session_key;
}

async function settle(tenant: TestTenant, settings: Readonly<Record<string, string>>): Promise<void> {
  const answer = await call(tenant.keys.management, 'PUT', '/tenants/self', { name: 'Scene', settings });
  if (answer.status !== 200) throw new Error(answer.text);
}

/** A body, and headers in addition to the usual ones. */
type Extras = readonly [body?: unknown, headers?: Readonly<Record<string, string>>];
const call = (key: string, method: string, path: string, ...[body, headers = {}]: Extras) =>
  vault.request(method, path, { key, headers, ...(body === undefined ? {} : { body }) });
const create = (key: string, body: object) => call(key, 'POST', '/tokens', body);
const patch = (key: string, id: string, body: object, headers: Record<string, string> = {}) =>
  call(key, 'PATCH', `/tokens/${id}`, body, { 'content-type': 'application/merge-patch+json', ...headers });
const bodyOf = (answer: TestResponse) => answer.body as { id: string; fingerprint?: string; data?: { number: string } };
const card = ({ number }: Scene, more: object = {}) => ({ type: 'card', data: { number }, ...more });
const twice = async (send: (headers: Record<string, string>) => Promise<TestResponse>) => {
  const headers = { 'bt-idempotency-key': crypto.randomUUID() };
  await send(headers);
  return send(headers);
};

type Way = (scene: Scene, key: string) => Promise<TestResponse>;

/** Requests that write the guessed number, whose responses could confirm it. */
const writing: Readonly<Record<string, Way>> = {
  'POST /tokens': (scene, key) => create(key, card(scene)),
  'POST /tokens of the same value in another form': (scene, key) =>
    create(key, { ...card(scene), fingerprint_expression: '{{ data.number }}' }),
  'POST /tokens that is deduplicated': (scene, key) => create(key, card(scene, { deduplicate_token: true })),
  'POST /tokens that is repeated': (scene, key) =>
    twice((headers) => call(key, 'POST', '/tokens', card(scene), headers)),
  'POST /tokenize': (scene, key) => call(key, 'POST', '/tokenize', card(scene)),
  'POST /tokenize, deep inside': (scene, key) => call(key, 'POST', '/tokenize', { a: [{ b: card(scene) }] }),
  'POST /tokenize that is deduplicated': (scene, key) =>
    call(key, 'POST', '/tokenize', [
      card(scene, { deduplicate_token: true }),
      card(scene, { deduplicate_token: true }),
    ]),
  'POST /tokenize that is repeated': (scene, key) =>
    twice((headers) => call(key, 'POST', '/tokenize', [card(scene)], headers)),
  'PATCH of a token of its own': async (scene, key) => {
    const { id } = bodyOf(await create(key, { type: 'card', data: { number: makeCardNumber() } }));
    return patch(key, id, { data: { number: scene.number } });
  },
  'PATCH into a duplicate': async (scene, key) => {
    const { id } = bodyOf(await create(key, { type: 'card', data: { number: makeCardNumber() } }));
    return patch(key, id, { data: { number: scene.number }, deduplicate_token: true });
  },
  'PATCH that is repeated': async (scene, key) => {
    const { id } = bodyOf(await create(key, { type: 'card', data: { number: makeCardNumber() } }));
    return twice((headers) => patch(key, id, { data: { number: scene.number } }, headers));
  },
};

/** Requests whose responses show the token itself. */
const reading: Readonly<Record<string, Way>> = {
  'GET /tokens/{id}': ({ id }, key) => call(key, 'GET', `/tokens/${id}`),
  'GET /tokens': ({ id }, key) => call(key, 'GET', `/tokens?id=${id}`),
  'GET /v2/tokens': ({ id }, key) => call(key, 'GET', `/v2/tokens?id=${id}`),
  'POST /tokens/search': ({ id }, key) => call(key, 'POST', '/tokens/search', { query: `id:${id}` }),
  'POST /v2/tokens/search': ({ id }, key) => call(key, 'POST', '/v2/tokens/search', { query: `id:${id}` }),
  'POST /detokenize of a whole token': ({ id }, key) =>
    call(key, 'POST', '/detokenize', { whole: `{{ token: ${id} }}` }),
  'POST /detokenize of one member': ({ id }, key) =>
    call(key, 'POST', '/detokenize', { one: `{{ token: ${id} | json: '$.fingerprint' }}` }),
};
const sending: Readonly<Record<string, Way>> = {
  'the proxy, with a whole token': ({ id }, key) =>
    proxied.call({ key, body: `{"whole":"{{ token: ${id} }}"}`, headers: { 'content-type': 'application/json' } }),
};

const cases = (names: readonly CallerName[], ...ways: readonly Readonly<Record<string, Way>>[]) =>
  names.flatMap((name) => ways.flatMap((group) => Object.entries(group).map(([way, run]) => ({ name, way, run }))));

describe('no fingerprint is shown', () => {
  it.each([
    ...cases(['public'], writing),
    ...cases(['session', 'revealing session'], writing, reading, sending),
    ...cases(['redacting'], writing, reading),
  ])('to a $name key by $way', async ({ name, way, run }) => {
    const answer = await run(open, open.keys[name]);
    // A caller for whom tokens are redacted may not compare anything with them.
    if (name === 'redacting' && /duplicate/.test(way)) expect(answer.status).toBe(403);
    else expect(answer.status).toBeLessThan(300);
    expect(answer.text).not.toContain(open.fingerprint);
    expect(answer.text).not.toContain('"fingerprint"');
  });

  it.each(cases(['masking'], writing, reading))(
    'in masked views by $way, if the tenant keeps it to revealed ones',
    async ({ name, way, run }) => {
      const answer = await run(strict, strict.keys[name]);
      // Requesting deduplication would reveal whether the value exists.
      if (/deduplicated|duplicate/.test(way)) expect(answer.status).toBe(403);
      else expect(answer.status).toBeLessThan(300);
      expect(answer.text).not.toContain(strict.fingerprint);
      expect(answer.text).not.toContain('"fingerprint"');
    },
  );
});

/** Queries that find the token only if the fingerprint matches. */
const asking: Readonly<Record<string, (fingerprint: string, id: string) => readonly [string, string, object?]>> = {
  'a filter of GET /tokens': (fingerprint) => ['GET', `/tokens?size=100&fingerprint=${fingerprint}`],
  'a filter of GET /v2/tokens': (fingerprint) => ['GET', `/v2/tokens?size=100&fingerprint=${fingerprint}`],
  'one of several filters': (fingerprint, id) => ['GET', `/tokens?fingerprint=${fingerprint}&fingerprint=x&id=${id}`],
  'a search': (fingerprint) => ['POST', '/tokens/search', { size: 100, query: `fingerprint:${fingerprint}` }],
  'a v2 search': (fingerprint) => ['POST', '/v2/tokens/search', { size: 100, query: `fingerprint:${fingerprint}` }],
  'a search for one of two': (fingerprint) => [
    'POST',
    '/tokens/search',
    { size: 100, query: `fingerprint:${fingerprint} OR id:no` },
  ],
  'a search with a second condition': (fingerprint, id) => [
    'POST',
    '/tokens/search',
    { query: `id:${id} AND fingerprint:${fingerprint}` },
  ],
  'a search for what it is not': (fingerprint, id) => [
    'POST',
    '/tokens/search',
    { query: `id:${id} AND NOT fingerprint:${fingerprint}` },
  ],
};
const callers = [
  { name: 'session', scene: () => open },
  { name: 'revealing session', scene: () => open },
  { name: 'redacting', scene: () => open },
  { name: 'masking', scene: () => strict },
] as const;
const questions = Object.entries(asking).map(([way, ask]) => ({ way, ask }));

describe('nobody learns a fingerprint that is not shown', () => {
  it.each(callers.flatMap((caller) => questions.map((question) => ({ ...caller, ...question }))))(
    'by $way with a $name key: the right one and a wrong one find the same',
    async ({ name, scene, ask }) => {
      const { keys, fingerprint, id } = scene();
      const found = async (guess: string) => {
        const [method, path, body] = ask(guess, id);
        const answer = await call(keys[name], method, path, body);
        expect(answer.status).toBe(200);
        return (answer.body as { data: { id: string }[] }).data.map((token) => token.id);
      };
      expect(await found(fingerprint)).toStrictEqual(await found('4XQ3q1dJ1wsvFDzx5mTCtbVrAyBQcHkB1cM3sDSkQ5nm'));
    },
  );
});

describe('the attack as a whole', () => {
  /** Returns all numbers with this BIN and these last four digits. */
  const candidatesOf = (number: string) =>
    Array.from(
      { length: 10_000 },
      (_, middle) => `${number.slice(0, 8)}${String(middle).padStart(4, '0')}${number.slice(12)}`,
    )
      .filter(passesLuhn)
      .slice(0, 1_000);

  it.each([
    { name: 'public', scene: () => open },
    { name: 'session', scene: () => open },
    { name: 'masking', scene: () => strict },
  ] as const)('finds nothing with a thousand cards of a $name key', async ({ name, scene }) => {
    const { keys, fingerprint, number } = scene();
    const guesses = candidatesOf(number);
    expect(guesses).toContain(number);
    const answer = await call(
      keys[name],
      'POST',
      '/tokenize',
      guesses.map((guess) => ({ type: 'card', data: { number: guess } })),
    );
    expect(answer.status).toBe(200);
    expect((answer.body as object[]).length).toBe(guesses.length);
    expect(answer.text).not.toContain(fingerprint);
  });
});

describe('a setting that would protect nothing', () => {
  it.each(['Reveal', 'revealed', 'none', 'redact', 'true', ''])('is refused: %j', async (value) => {
    const answer = await call(open.tenant.keys.management, 'PUT', '/tenants/self', {
      name: 'Scene',
      settings: { fingerprint_visibility: value },
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: { 'settings.fingerprint_visibility': [/mask, reveal/] } },
    });
  });
});

describe('what still works', () => {
  it.each(cases(['masking', 'revealing'], writing, reading))(
    'a $name key of a private application sees the fingerprint by $way',
    async ({ name, run }) => {
      expect((await run(open, open.keys[name])).text).toContain(open.fingerprint);
    },
  );

  it.each(cases(['revealing'], reading))('a revealed view shows it by $way in a strict tenant', async ({ run }) => {
    expect((await run(strict, strict.keys.revealing)).text).toContain(strict.fingerprint);
  });

  it.each(questions.filter(({ way }) => !way.includes('not')))('who sees it can ask for it: $way', async ({ ask }) => {
    for (const [scene, name] of [
      [open, 'masking'],
      [strict, 'revealing'],
    ] as const) {
      const [method, path, body] = ask(scene.fingerprint, scene.id);
      const answer = await call(scene.keys[name], method, path, body);
      const ids = (answer.body as { data: { id: string }[] }).data.map(({ id }) => id);
      expect(ids).toContain(scene.id);
    }
  });

  it('follows a change of the setting', async () => {
    const scene = await setScene();
    const isShown = async () =>
      (await call(scene.keys.masking, 'GET', `/tokens/${scene.id}`)).text.includes('"fingerprint"');
    expect(await isShown()).toBe(true);
    await settle(scene.tenant, { fingerprint_visibility: 'reveal' });
    await expect.poll(isShown).toBe(false);
  });
});

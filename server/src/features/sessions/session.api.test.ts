import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutTraceId } from '../../../test/harness/problem-text.ts';
import { createApplication } from '../../../test/harness/test-application.ts';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

/** Every build runs with these small numbers, and `npm run test:races` sets larger ones. */
const racers = Number(process.env['SESSION_RACERS'] ?? 50);
const rounds = Number(process.env['SESSION_ROUNDS'] ?? 5);

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

interface Session {
  readonly session_key: string;
  readonly nonce: string;
  readonly expires_at: string;
}

async function createSession(of = tenant): Promise<Session> {
  const answer = await vault.request('POST', '/sessions', { key: of.keys.public });
  expect(answer.status).toBe(201);
  return answer.body as Session;
}
const authorize = (body: Record<string, unknown>, key = tenant.keys.private) =>
  vault.request('POST', '/sessions/authorize', { key, body });
const createToken = (key: string, body: Record<string, unknown> = {}, url?: string) =>
  vault.request('POST', '/tokens', {
    key,
    body: { type: 'token', data: 'x', ...body },
    ...(url === undefined ? {} : { url }),
  });
const readToken = (key: string, id: string, url?: string) =>
  vault.request('GET', `/tokens/${id}`, { key, ...(url === undefined ? {} : { url }) });

describe('POST /sessions', () => {
  it('201 gives a key, a nonce and three minutes, and leaves a record', async () => {
    const before = Date.now();
    const session = await createSession();
    expect(session.session_key).toMatch(/^key_test_sess_[1-9A-HJ-NP-Za-km-z]{66}_[1-9A-HJ-NP-Za-km-z]{6}$/);
    expect(Date.parse(session.expires_at) - before).toBeGreaterThan(175_000);
    expect(Date.parse(session.expires_at) - before).toBeLessThan(185_000);
    expect(await vault.auditRecords(tenant.id)).toContainEqual(
      expect.objectContaining({ entity_type: 'session', operation: 'create', actor_type: 'application' }),
    );
  });

  it.each(['private', 'reveal', 'management'] as const)('403 refuses the %s key', async (name) => {
    expect((await vault.request('POST', '/sessions', { key: tenant.keys[name] })).status).toBe(403);
  });

  it('keeps neither key nor nonce', async () => {
    const { session_key, nonce } = await createSession();
    const { rows } = await vault.database.owner.query('select to_jsonb(sessions)::text as row from sessions');
    expect(JSON.stringify(rows)).not.toContain(nonce);
    expect(JSON.stringify(rows)).not.toContain(session_key.split('_')[3]?.slice(22));
  });
});

describe('a session key', () => {
  it('may do nothing before it is authorized, not even look at itself', async () => {
    const { session_key } = await createSession();
    for (const [method, path] of [
      ['GET', '/applications/key'],
      ['GET', '/permissions'],
      ['GET', '/tokens'],
      ['POST', '/sessions'],
    ] as const) {
      expect((await vault.request(method, path, { key: session_key })).status).toBe(403);
    }
    expect((await createToken(session_key)).status).toBe(403);
  });

  it('may do so from the moment in which somebody was told, also where it came too early', async () => {
    const other = await vault.startAnother();
    for (let round = 0; round < 30; round += 1) {
      const { session_key, nonce } = await createSession();
      expect((await createToken(session_key, {}, other.url)).status).toBe(403);
      expect((await authorize({ nonce, permissions: ['token:create'] })).status).toBe(200);
      expect((await createToken(session_key, {}, other.url)).status).toBe(201);
    }
  });

  it('may do what it was authorized for, with its own record, and no more', async () => {
    const { session_key, nonce } = await createSession();
    const answer = await authorize({ nonce, permissions: ['token:create'] });
    expect(answer).toMatchObject({ status: 200, text: '' });
    const created = await createToken(session_key);
    expect(created.status).toBe(201);
    const { id } = created.body as { id: string };
    expect((await readToken(session_key, id)).status).toBe(403);
    expect(await vault.auditRecords(tenant.id)).toContainEqual(
      expect.objectContaining({ entity_id: id, operation: 'create', actor_type: 'session' }),
    );
  });

  it('sees one token by a condition on its id, in lists as in a single get', async () => {
    const [first = '', second = ''] = await Promise.all(
      ['one', 'two'].map(
        async (data) =>
          ((await createToken(tenant.keys.private, { data, mask: '{{ data }}' })).body as { id: string }).id,
      ),
    );
    const { session_key, nonce } = await createSession();
    const conditions = [{ attribute: 'id', operator: 'equals', value: first }];
    const rules = [{ description: 'one', priority: 1, conditions, transform: 'mask', permissions: ['token:read'] }];
    expect((await authorize({ nonce, rules })).status).toBe(200);
    expect(await readToken(session_key, first)).toMatchObject({ status: 200, body: { data: 'one' } });
    expect((await readToken(session_key, second)).status).toBe(403);
    const list = await vault.request('GET', '/tokens', { key: session_key });
    expect(list.body).toMatchObject({ pagination: { total_items: 1 }, data: [{ id: first }] });
  });

  it('never exceeds its authorizer, also where that has less than when it authorized', async () => {
    const permissions = ['token:read', 'token:create', 'token:delete'];
    const everything = [{ priority: 1, container: '/', transform: 'reveal', permissions }];
    const authorizer = await createApplication(vault, tenant, { permissions: [], rules: everything });
    const { session_key, nonce } = await createSession();
    expect((await authorize({ nonce, rules: everything }, authorizer.key)).status).toBe(200);
    const less = [{ priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read', 'token:create'] }];
    const body = { name: 'Less', rules: less };
    const narrowed = await vault.request('PUT', `/applications/${authorizer.id}`, {
      key: tenant.keys.management,
      body,
    });
    expect(narrowed.status).toBe(200);
    const card = { type: 'card', data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 } };
    const created = await createToken(session_key, card);
    expect(created).toMatchObject({ status: 201, body: { data: { number: 'XXXXXXXXXXXX4242' } } });
    const { id } = created.body as { id: string };
    expect(await readToken(session_key, id)).toMatchObject({
      status: 200,
      body: { data: { number: 'XXXXXXXXXXXX4242' } },
    });
    expect((await vault.request('DELETE', `/tokens/${id}`, { key: session_key })).status).toBe(403);
    expect((await createToken(session_key)).status).toBe(403);
  });

  it('is gone after its time, on every server, without a sweep', async () => {
    const { url } = await vault.startAnother();
    const { session_key, nonce } = await createSession();
    await authorize({ nonce, permissions: ['token:create'] });
    expect((await createToken(session_key)).status).toBe(201);
    expect((await createToken(session_key, {}, url)).status).toBe(201);
    await vault.database.owner.query(`update sessions set expires_at = now() - interval '1 second'`);
    for (const server of [undefined, url]) {
      await untilTrue(async () => (await createToken(session_key, {}, server)).status === 401, {
        waitingFor: 'the session to be refused',
      });
    }
  });

  it.each(['the rule of the authorizer', 'the authorizer', 'the public application'])(
    'loses within a second on two servers what goes with %s',
    async (what) => {
      const own = await vault.makeTenant();
      const { url } = await vault.startAnother();
      const authorizer = await createApplication(vault, own, {
        permissions: ['token:create', 'token:read'],
        rules: [],
      });
      const publicId = (
        (await vault.request('GET', '/applications/key', { key: own.keys.public })).body as { id: string }
      ).id;
      const { session_key, nonce } = await createSession(own);
      expect((await authorize({ nonce, permissions: ['token:create'] }, authorizer.key)).status).toBe(200);
      for (const server of [undefined, url]) expect((await createToken(session_key, {}, server)).status).toBe(201);

      const key = own.keys.management;
      const path = `/applications/${what === 'the public application' ? publicId : authorizer.id}`;
      const isRule = what === 'the rule of the authorizer';
      const change = await vault.request(isRule ? 'PUT' : 'DELETE', path, {
        key,
        ...(isRule ? { body: { name: 'less', permissions: ['token:read'] } } : {}),
      });
      expect(change.status).toBe(isRule ? 200 : 204);
      for (const server of [undefined, url]) {
        await untilTrue(async () => [401, 403].includes((await createToken(session_key, {}, server)).status), {
          waitingFor: 'the session to lose the right',
        });
      }
    },
  );
});

describe('POST /sessions/authorize', () => {
  it.each([
    ['nothing is granted', {}],
    ['both lists are empty', { permissions: [], rules: [] }],
    ['a permission is unknown', { permissions: ['token:fly'] }],
    ['a permission is not for tokens', { permissions: ['tenant:delete'] }],
    [
      'it would last longer than a day',
      { permissions: ['token:create'], expires_at: new Date(Date.now() + 90_000_000).toISOString() },
    ],
    ['it would have ended', { permissions: ['token:create'], expires_at: '2020-01-01T00:00:00Z' }],
    [
      'a rule has container and conditions',
      {
        rules: [
          {
            priority: 1,
            container: '/',
            conditions: [{ attribute: 'id', operator: 'equals', value: 'x' }],
            transform: 'mask',
            permissions: ['token:read'],
          },
        ],
      },
    ],
    ['a rule has neither', { rules: [{ priority: 1, transform: 'mask', permissions: ['token:read'] }] }],
    [
      'a condition is unknown',
      {
        rules: [
          {
            priority: 1,
            conditions: [{ attribute: 'type', operator: 'equals', value: 'x' }],
            transform: 'mask',
            permissions: ['token:read'],
          },
        ],
      },
    ],
  ])('400 when %s, and the nonce still works', async (_name, body) => {
    const { nonce } = await createSession();
    expect((await authorize({ nonce, ...body })).status).toBe(400);
    expect((await authorize({ nonce, permissions: ['token:create'] })).status).toBe(200);
  });

  it.each(['public', 'management'] as const)('403 refuses the %s key', async (name) => {
    const { nonce } = await createSession();
    expect((await authorize({ nonce, permissions: ['token:create'] }, tenant.keys[name])).status).toBe(403);
  });

  it("404 for an unknown nonce, garbage, an ended session and another tenant's, with the same bytes", async () => {
    const other = await vault.makeTenant();
    const ended = await createSession(other);
    await vault.database.owner.query(
      `update sessions set expires_at = now() - interval '1 second' where tenant_id = $1`,
      [other.id],
    );
    const foreign = await createSession(other);
    const answers = await Promise.all([
      authorize({ nonce: '2'.repeat(44), permissions: ['token:create'] }),
      authorize({ nonce: 'garbage', permissions: ['token:create'] }),
      authorize({ nonce: foreign.nonce, permissions: ['token:create'] }),
      authorize({ nonce: ended.nonce, permissions: ['token:create'] }, other.keys.private),
    ]);
    expect(new Set(answers.map(({ status, text }) => `${status} ${withoutTraceId(text)}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
  });

  it('409 for a nonce that was used', async () => {
    const { nonce } = await createSession();
    expect((await authorize({ nonce, permissions: ['token:create'] })).status).toBe(200);
    expect((await authorize({ nonce, permissions: ['token:create'] })).status).toBe(409);
  });

  it(`has one winner among ${racers}, in ${rounds} rounds on two servers`, async () => {
    const { url } = await vault.startAnother();
    for (let round = 0; round < rounds; round += 1) {
      const { nonce } = await createSession();
      const attempts = Array.from({ length: racers }, (_, index) =>
        vault.request('POST', '/sessions/authorize', {
          key: tenant.keys.private,
          body: { nonce, permissions: ['token:create'] },
          ...(index % 2 === 0 ? {} : { url }),
        }),
      );
      const statuses = (await Promise.all(attempts)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 409)).toHaveLength(racers - 1);
    }
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { answerBinding } from '../../src/features/idempotency/sealed-responses-sql.ts';
import { untilTrue } from '../harness/deadline.ts';
import { StatementTap } from '../harness/statement-tap.ts';
import { createApplication, recordsOf, type TestApplication } from '../harness/test-application.ts';
import { type TestResponse, type TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * A request that is repeated with its `BT-IDEMPOTENCY-KEY` must not show what the caller may no longer see. Between the
 * first request and its repetition, rights are removed, and tokens are deleted, expire, move and change.
 */
let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const secret = '4242424242424242';
const card = { type: 'card', data: { number: secret, expiration_month: 12, expiration_year: 2030 } };
const permissions = ['token:create', 'token:read', 'token:update'];
const rule = (changes: object = {}) => ({
  priority: 1,
  container: '/pci/',
  transform: 'reveal',
  permissions,
  ...changes,
});
const mergePatch = { 'content-type': 'application/merge-patch+json' };

const manage = (method: string, path: string, body?: object, key = tenant.keys.management) =>
  vault.request(method, path, { key, ...(body === undefined ? {} : { body }) });
const revealer = (method: string, path: string, body?: object) =>
  vault.request(method, path, {
    key: tenant.keys.reveal,
    ...(body === undefined ? {} : { body }),
    ...(method === 'PATCH' ? { headers: mergePatch } : {}),
  });
const setRules = async ({ id }: TestApplication, rules: object[]) =>
  expect((await manage('PUT', `/applications/${id}`, { name: 'Less', rules })).status).toBe(200);

interface Scene {
  readonly application: TestApplication;
  readonly id: string;
  readonly first: TestResponse;
  readonly repeat: () => Promise<TestResponse>;
}

/** Sends a request from an application with the given rules. It is repeated later. */
async function play(route: string, rules: object[] = [rule()], body: object = card): Promise<Scene> {
  const application = await createApplication(vault, tenant, { permissions: [], rules });
  return playWith(route, application, application.key, body);
}

async function playWith(route: string, application: TestApplication, key: string, body: object): Promise<Scene> {
  const headers = { 'bt-idempotency-key': randomUUID() };
  const made = route.startsWith('PATCH') ? ((await revealer('POST', '/tokens', body)).body as { id: string }).id : '';
  const repeat = () => {
    if (route === 'POST /tokens') return vault.request('POST', '/tokens', { key, body, headers });
    if (route === 'POST /tokenize') return vault.request('POST', '/tokenize', { key, body: { a: [body] }, headers });
    const patch = { metadata: { touched: 'yes' } };
    return vault.request('PATCH', `/tokens/${made}`, { key, body: patch, headers: { ...headers, ...mergePatch } });
  };
  const first = await repeat();
  expect([200, 201]).toContain(first.status);
  return { application, first, repeat, id: /"id":"([^"]+)"/.exec(first.text)?.[1] ?? '' };
}

/**
 * Repeats the request until the check passes. Changed rights reach a server through its change feed, so the first
 * repetitions may still see the old ones.
 */
async function eventually(repeat: () => Promise<TestResponse>, check: (answer: TestResponse) => boolean, what: string) {
  let last: TestResponse | undefined;
  await untilTrue(
    async () => {
      last = await repeat();
      return check(last);
    },
    { waitingFor: what },
  );
  return last as TestResponse;
}
const becomes = (repeat: () => Promise<TestResponse>, status: number) =>
  eventually(repeat, (answer) => answer.status === status, `status ${status}`);

const routes = ['POST /tokens', 'POST /tokenize', 'PATCH /tokens/{id}'];

describe.each(routes)('%s', (route) => {
  it('gives the same bytes while nothing has changed, and records each time', async () => {
    const { first, repeat, id } = await play(route);
    expect(first.text).toContain(secret);
    for (const answer of [await repeat(), await repeat()]) {
      expect([answer.status, answer.text]).toEqual([first.status, first.text]);
      expect(answer.headers.get('location')).toBe(first.headers.get('location'));
    }
    const reads = (await recordsOf(vault, tenant, id)).filter(({ operation }) => operation === 'read');
    expect(reads.map(({ outcome }) => outcome)).toEqual(['success', 'success']);
  });

  it('shows masked data once the rule masks', async () => {
    const { application, repeat } = await play(route);
    await setRules(application, [rule({ transform: 'mask' })]);
    const answer = await eventually(repeat, ({ text }) => !text.includes(secret), 'masked data');
    expect(answer.text).toContain('XXXXXXXXXXXX4242');
  });

  it('shows no data once the rule redacts', async () => {
    const { application, repeat } = await play(route);
    await setRules(application, [rule({ transform: 'redact' })]);
    const answer = await eventually(repeat, ({ text }) => !text.includes(secret), 'no data');
    expect(answer.text).not.toContain('"data"');
  });

  it('403 once the rule covers another container, and the attempt is recorded', async () => {
    const { application, repeat } = await play(route);
    await setRules(application, [rule({ container: '/pii/' })]);
    const answer = await becomes(repeat, 403);
    expect(answer.text).not.toContain('4242');
    const denied = (await vault.auditRecords(tenant.id)).filter(({ actor_id, outcome }) => {
      return actor_id === application.id && outcome === 'denied';
    });
    expect(denied).not.toHaveLength(0);
  });

  it('404 once the token is deleted', async () => {
    const { repeat, id } = await play(route);
    expect((await revealer('DELETE', `/tokens/${id}`)).status).toBe(204);
    const answer = await repeat();
    expect(answer).toMatchObject({ status: 404, body: { type: '/docs/errors/not-found' } });
    expect(answer.text).not.toContain('4242');
  });

  it('404 once the token has expired', async () => {
    const { repeat, id } = await play(route, undefined, { ...card, expires_at: '2035-01-01' });
    await vault.database.owner.query(`update tokens set expires_at = now() where tenant_id = $1 and id = $2`, [
      tenant.id,
      id,
    ]);
    expect((await repeat()).status).toBe(404);
  });

  it('404 once another token has taken the id', async () => {
    const wanted = `own-${randomUUID()}`;
    const { repeat } = await play(route, undefined, { ...card, id: wanted });
    await revealer('DELETE', `/tokens/${wanted}`);
    const other = { id: wanted, type: 'card', data: { number: '5555555555554444' }, containers: ['/pci/'] };
    expect((await revealer('POST', '/tokens', other)).status).toBe(201);
    const answer = await repeat();
    expect(answer.status).toBe(404);
    expect(answer.text).not.toMatch(/[5X]{12}4444/);
  });

  it('shows what the token holds now, not what it held', async () => {
    const { repeat, id } = await play(route);
    await revealer('PATCH', `/tokens/${id}`, { data: { number: '5555555555554444' } });
    const answer = await repeat();
    expect(answer.text).toContain('5555555555554444');
    expect(answer.text).not.toContain(secret);
  });

  it('shows masked data through the mask that the token has now', async () => {
    const { repeat, id, first } = await play(route, [rule({ transform: 'mask' })], {
      ...card,
      mask: '{{ data.number }}',
    });
    expect(first.text).toContain(secret);
    await revealer('PATCH', `/tokens/${id}`, { mask: null });
    expect((await repeat()).text).not.toContain(secret);
  });

  it('shows a token that was moved out of reach to nobody', async () => {
    const { repeat, id } = await play(route);
    await revealer('PATCH', `/tokens/${id}`, { containers: ['/restricted/'] });
    const answer = await repeat();
    expect(answer.text).not.toContain(secret);
    expect(answer.text).not.toContain('4242"');
  });

  it('401 once the key is revoked, and once the application is deleted', async () => {
    const { application, repeat } = await play(route);
    const added = await manage('POST', `/applications/${application.id}/keys`);
    expect(added.status).toBe(201);
    await manage('DELETE', `/applications/${application.id}/keys/${application.keyId}`);
    expect((await becomes(repeat, 401)).text).not.toContain('4242');
  });

  it('keeps no data of the token', async () => {
    const own = await vault.makeTenant();
    const headers = { 'bt-idempotency-key': randomUUID() };
    const send = (method: string, path: string, body: object, more: Record<string, string> = {}) =>
      vault.request(method, path, { key: own.keys.reveal, body, headers: { ...headers, ...more } });
    if (route === 'POST /tokens') await send('POST', '/tokens', card);
    else if (route === 'POST /tokenize') await send('POST', '/tokenize', [card, secret]);
    else {
      const made = await vault.request('POST', '/tokens', { key: own.keys.reveal, body: card });
      await send('PATCH', `/tokens/${(made.body as { id: string }).id}`, { metadata: { a: 'b' } }, mergePatch);
    }
    const { rows } = await vault.database.owner.query<{ key_hash: Buffer; sealed: Buffer }>(
      'select key_hash, sealed from idempotency_results where tenant_id = $1',
      [own.id],
    );
    expect(rows).toHaveLength(1);
    for (const { key_hash, sealed } of rows) {
      const keys = await vault.server.core.keyring.forRecord(parseTenantId(own.id), sealed);
      expect(keys.open(sealed, answerBinding(key_hash))).not.toMatch(/4242|expiration/);
    }
  });
});

describe('a caller that may create and not read', () => {
  const writer = rule({ permissions: ['token:create'] });

  it.each(['POST /tokens', 'POST /tokenize'])('%s is not shown what others made of the token', async (route) => {
    const { repeat, first, id } = await play(route, [writer]);
    expect(first.text).toContain(secret);
    expect((await repeat()).text).toBe(first.text);
    await revealer('PATCH', `/tokens/${id}`, { data: { number: '5555555555554444' }, metadata: { note: 'inside' } });
    const answer = await repeat();
    expect(answer.status).toBe(first.status);
    expect(answer.text).toContain(id);
    expect(answer.text).not.toMatch(/4242|4444|inside/);
  });

  it('is shown a deduplicated token only as far as it may read it now', async () => {
    const body = { ...card, deduplicate_token: true };
    await revealer('POST', '/tokens', body);
    const { application, repeat, first } = await play('POST /tokens', [rule()], body);
    expect(first.text).toContain(secret);
    expect((await repeat()).text).toBe(first.text);
    await setRules(application, [writer]);
    const answer = await eventually(repeat, ({ text }) => !text.includes(secret), 'the reduced view');
    expect(answer.body).not.toHaveProperty('data');
    expect(answer.body).not.toHaveProperty('card');
  });
});

describe('a session', () => {
  async function play(transform: string) {
    const authorizer = await createApplication(vault, tenant, { permissions: [], rules: [rule({ transform })] });
    const session = await vault.request('POST', '/sessions', { key: tenant.keys.public });
    const { session_key, nonce } = session.body as { session_key: string; nonce: string };
    const rules = [rule({ permissions: ['token:create'] })];
    const body = { nonce, rules };
    await vault.request('POST', '/sessions/authorize', { key: authorizer.key, body });
    return playWith('POST /tokens', authorizer, session_key, card);
  }

  it('sees no more than its authorizer allows now', async () => {
    const { application, first, repeat } = await play('reveal');
    expect(first.text).toContain(secret);
    await setRules(application, [rule({ transform: 'mask' })]);
    await eventually(repeat, ({ text }) => !text.includes(secret), 'masked data');
    await setRules(application, [rule({ container: '/pii/' })]);
    await becomes(repeat, 403);
  });

  it('401 once its authorizer is gone', async () => {
    const { application, repeat } = await play('reveal');
    await manage('DELETE', `/applications/${application.id}`);
    const answer = await eventually(repeat, ({ status }) => status === 401 || status === 403, 'a refusal');
    expect(answer.text).not.toContain('4242');
  });
});

describe('authorizing a session', () => {
  const authorize = (body: object, idempotencyKey: string) =>
    vault.request('POST', '/sessions/authorize', {
      key: tenant.keys.private,
      body,
      headers: { 'bt-idempotency-key': idempotencyKey },
    });
  const createSession = async () =>
    (await vault.request('POST', '/sessions', { key: tenant.keys.public })).body as {
      nonce: string;
      session_key: string;
    };
  const canCreate = async ({ session_key: key }: { session_key: string }) =>
    (await vault.request('POST', '/tokens', { key, body: { type: 'token', data: 'x' } })).status === 201;

  it('is repeated for the same nonce and rights', async () => {
    const [session, key] = [await createSession(), randomUUID()];
    const body = { nonce: session.nonce, permissions: ['token:create'] };
    expect([(await authorize(body, key)).status, (await authorize(body, key)).status]).toEqual([200, 200]);
    expect(await canCreate(session)).toBe(true);
  });

  it('is not confirmed for another nonce or other rights that it was not done for', async () => {
    const [first, second, key] = [await createSession(), await createSession(), randomUUID()];
    const permissions = ['token:create'];
    expect((await authorize({ nonce: first.nonce, permissions }, key)).status).toBe(200);
    expect((await authorize({ nonce: first.nonce, permissions: [] }, key)).status).not.toBe(200);
    expect((await authorize({ nonce: 'x'.repeat(44), permissions }, key)).status).not.toBe(200);
    expect((await authorize({ nonce: second.nonce, permissions }, key)).status).toBe(200);
    expect(await canCreate(second)).toBe(true);
  });
});

describe('a thousand tokens', () => {
  it('are judged in one query, and one that is gone is enough to refuse', async () => {
    const { key } = await createApplication(vault, tenant, { permissions: [], rules: [rule()] });
    const headers = { 'bt-idempotency-key': randomUUID() };
    const body = Array.from({ length: 1_000 }, (_, index) => ({ type: 'token', data: index, containers: ['/pci/'] }));
    const send = () => vault.request('POST', '/tokenize', { key, body, headers });
    const first = await send();
    const tap = new StatementTap();
    try {
      const found = await tap.during(async () => expect((await send()).text).toBe(first.text), 'from tokens t');
      expect(found).toHaveLength(1);
    } finally {
      tap.close();
    }
    const ids = (first.body as { id: string }[]).map(({ id }) => id);
    const reads = (await vault.auditRecords(tenant.id)).filter(({ operation }) => operation === 'read');
    const recorded = new Set(reads.map(({ entity_id }) => entity_id));
    expect(ids.every((id) => recorded.has(id))).toBe(true);
    await revealer('DELETE', `/tokens/${ids[617]}`);
    expect((await send()).status).toBe(404);
  });
});

describe('management', () => {
  const repeatable = (key: string, method: string, path: string, body?: object) => {
    const headers = { 'bt-idempotency-key': randomUUID() };
    return () => vault.request(method, path, { key, headers, ...(body === undefined ? {} : { body }) });
  };
  const wanted = { name: 'Made', type: 'private', permissions: ['token:create'] };
  const manager = (permissions: string[]) =>
    createApplication(vault, tenant, { type: 'management', permissions }).then(({ key, id }) => ({ key, id }));
  const idOf = ({ body }: TestResponse) => (body as { id: string }).id;

  it('403 for an application once the permission to create is gone', async () => {
    const { key, id } = await manager(['application:create', 'log:read']);
    const send = repeatable(key, 'POST', '/applications', wanted);
    expect((await send()).status).toBe(201);
    await manage('PUT', `/applications/${id}`, { name: 'Less', permissions: ['log:read'] });
    await becomes(send, 403);
  });

  it('404 for an application that was deleted, and 404 for its key', async () => {
    const send = repeatable(tenant.keys.management, 'POST', '/applications', wanted);
    const id = idOf(await send());
    const rename = repeatable(tenant.keys.management, 'PUT', `/applications/${id}`, { ...wanted, name: 'Renamed' });
    const addKey = repeatable(tenant.keys.management, 'POST', `/applications/${id}/keys`);
    expect([(await rename()).status, (await addKey()).status]).toEqual([200, 201]);
    await manage('DELETE', `/applications/${id}`);
    expect([(await send()).status, (await rename()).status, (await addKey()).status]).toEqual([404, 404, 404]);
  });

  it('404 for a key that was revoked', async () => {
    const { id } = await createApplication(vault, tenant);
    const addKey = repeatable(tenant.keys.management, 'POST', `/applications/${id}/keys`);
    const keyId = idOf(await addKey());
    await manage('DELETE', `/applications/${id}/keys/${keyId}`);
    expect((await addKey()).status).toBe(404);
  });

  it('403 for an application that others have changed, to who may not read it', async () => {
    const { key } = await manager(['application:create']);
    const send = repeatable(key, 'POST', '/applications', wanted);
    const first = await send();
    expect((await send()).status).toBe(201);
    await manage('PUT', `/applications/${idOf(first)}`, { ...wanted, name: 'A secret project' });
    const answer = await send();
    expect(answer.status).toBe(403);
    expect(answer.text).not.toContain('secret project');
  });

  it('shows an application as it is now, without a secret, and records that', async () => {
    const send = repeatable(tenant.keys.management, 'POST', '/applications', wanted);
    const id = idOf(await send());
    await manage('PUT', `/applications/${id}`, { ...wanted, name: 'Changed' });
    const answer = await send();
    expect(answer).toMatchObject({ status: 201, body: { id, name: 'Changed' } });
    expect(answer.text).not.toContain('key_test');
    expect((await recordsOf(vault, tenant, id)).map(({ operation }) => operation)).toContain('read');
  });

  it('404 for an invitation that was deleted', async () => {
    const body = { email: `${randomUUID()}@example.com`, role: 'ADMIN' };
    const invite = repeatable(tenant.keys.management, 'POST', '/tenants/self/invitations', body);
    const id = idOf(await invite());
    const resend = repeatable(tenant.keys.management, 'POST', `/tenants/self/invitations/${id}/resend`);
    expect([(await resend()).status, (await invite()).status]).toEqual([200, 201]);
    await manage('DELETE', `/tenants/self/invitations/${id}`);
    expect([(await resend()).status, (await invite()).status]).toEqual([404, 404]);
  });

  it('403 for an invitation sent again, once the right to invite is gone', async () => {
    const { key, id } = await manager(['tenant:invitation:create', 'tenant:invitation:update']);
    const body = { email: `${randomUUID()}@example.com`, role: 'ADMIN' };
    const invited = await manage('POST', '/tenants/self/invitations', body);
    const resend = repeatable(key, 'POST', `/tenants/self/invitations/${idOf(invited)}/resend`);
    expect((await resend()).status).toBe(200);
    await manage('PUT', `/applications/${id}`, { name: 'Less', permissions: ['tenant:invitation:update'] });
    expect((await becomes(resend, 403)).text).not.toContain('@example.com');
  });

  it('shows the tenant as it is now', async () => {
    const own = await vault.makeTenant();
    const rename = repeatable(own.keys.management, 'PUT', '/tenants/self', { name: 'One', settings: {} });
    expect((await rename()).status).toBe(200);
    await manage('PUT', '/tenants/self', { name: 'Two', settings: {} }, own.keys.management);
    expect(await rename()).toMatchObject({ status: 200, body: { name: 'Two' } });
  });

  it('404 for a member who was removed', async () => {
    const { rows } = await vault.database.owner.query<{ id: string }>(
      `with made as (insert into users (id, email) values (gen_random_uuid(), $2) returning id)
       insert into members (tenant_id, id, user_id, role) select $1, gen_random_uuid(), id, 'ADMIN' from made returning id`,
      [tenant.id, `${randomUUID()}@example.com`],
    );
    const path = `/tenants/self/members/${rows[0]?.id}`;
    const demote = repeatable(tenant.keys.management, 'PUT', path, { role: 'READ_ONLY' });
    const first = await demote();
    expect([first.status, (await demote()).text]).toEqual([200, first.text]);
    await manage('DELETE', path);
    const answer = await demote();
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain('@example.com');
  });
});

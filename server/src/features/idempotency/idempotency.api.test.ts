import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication, fieldsOf } from '../../../test/harness/test-application.ts';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { type TestResponse, type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import { IdempotencyStore, sweepIdempotencyJob } from './index.ts';
import { answerBinding } from './sealed-responses-sql.ts';

let vault: TestVault;
let tenant: TestTenant;
let otherUrl: string;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  otherUrl = (await vault.startAnother()).url;
});
afterAll(() => vault.stop());

const create = (
  idempotencyKey: string,
  body: unknown = { type: 'token', data: 'x' },
  key = tenant.keys.private,
  url?: string,
) =>
  vault.request('POST', '/tokens', {
    key,
    body,
    headers: { 'bt-idempotency-key': idempotencyKey },
    ...(url === undefined ? {} : { url }),
  });
const idOf = (answer: TestResponse) => (answer.body as { id: string }).id;
/** Returns the parts of a response that a retry must repeat. */
const essence = ({ status, text, headers }: TestResponse) => ({
  status,
  text,
  contentType: headers.get('content-type'),
  location: headers.get('location'),
  length: headers.get('content-length'),
});
const countTokens = async (of = tenant) => {
  const { rows } = await vault.database.owner.query('select from tokens where tenant_id = $1', [of.id]);
  return rows.length;
};
/** Makes all stored results older. */
const age = (interval: string, of = tenant) =>
  vault.database.owner.query(
    'update idempotency_results set expires_at = expires_at - $2::interval where tenant_id = $1',
    [of.id, interval],
  );

describe('a repetition', () => {
  it('gets the same bytes, from every server, and does nothing again', async () => {
    const key = randomUUID();
    const first = await create(key);
    expect(first.status).toBe(201);
    const before = await countTokens();
    for (const url of [undefined, otherUrl])
      expect(essence(await create(key, undefined, undefined, url))).toEqual(essence(first));
    expect(await countTokens()).toBe(before);
    const records = (await vault.auditRecords(tenant.id)).filter(({ entity_id }) => entity_id === idOf(first));
    expect(records.map(({ operation }) => operation)).toEqual(['create', 'read', 'read']);
  });

  it('gets the first answer even with another body', async () => {
    const key = randomUUID();
    const first = await create(key);
    expect(essence(await create(key, { type: 'token', data: 'something else' }))).toEqual(essence(first));
  });

  it('gets it 23 hours later, and after 24 is a new request', async () => {
    const own = await vault.makeTenant();
    const key = randomUUID();
    const first = await create(key, undefined, own.keys.private);
    await age('23 hours 59 minutes', own);
    expect(essence(await create(key, undefined, own.keys.private))).toEqual(essence(first));
    await age('1 minute', own);
    const second = await create(key, undefined, own.keys.private);
    expect(second.status).toBe(201);
    expect(idOf(second)).not.toBe(idOf(first));
  });

  it('keeps the spelling of data, and statuses other than 201', async () => {
    const key = randomUUID();
    const rawBody =
      '{"type":"token","data":[12345678901234567890,1e400,-0,"\\ud83d"],"mask":"{{ data }}","deduplicate_token":true}';
    const send = (headers: Record<string, string>) =>
      vault.request('POST', '/tokens', { key: tenant.keys.reveal, rawBody, headers });
    const made = await send({});
    const found = await send({ 'bt-idempotency-key': key });
    expect([made.status, found.status]).toEqual([201, 200]);
    expect(found.text).toContain('[12345678901234567890,1e400,-0,"\\ud83d"]');
    expect(essence(await send({ 'bt-idempotency-key': key }))).toEqual(essence(found));
  });

  it('works on updates and on answers without a body', async () => {
    const id = idOf(await create(randomUUID()));
    const headers = { 'bt-idempotency-key': randomUUID() };
    const update = (data: string) =>
      vault.request('PATCH', `/tokens/${id}`, {
        key: tenant.keys.private,
        body: { data, mask: '{{ data }}' },
        headers: { ...headers, 'content-type': 'application/merge-patch+json' },
      });
    const first = await update('one');
    expect(first.status).toBe(200);
    expect(essence(await update('two'))).toEqual(essence(first));

    const rename = (name: string) =>
      vault.request('PUT', '/tenants/self', { key: tenant.keys.management, body: { name }, headers });
    const renamed = await rename('One');
    expect(essence(await rename('Two'))).toEqual(essence(renamed));

    const session = await vault.request('POST', '/sessions', { key: tenant.keys.public });
    const { nonce } = session.body as { nonce: string };
    const authorize = () =>
      vault.request('POST', '/sessions/authorize', {
        key: tenant.keys.private,
        body: { nonce, permissions: ['token:create'] },
        headers,
      });
    const authorized = await authorize();
    expect(authorized).toMatchObject({ status: 200, text: '' });
    // Without the idempotency key, the used nonce would lead to a 409.
    expect(essence(await authorize())).toEqual(essence(authorized));
  });
});

describe('one key', () => {
  it('is another one for another application, session, tenant, method, route and path', async () => {
    const key = randomUUID();
    const other = await vault.makeTenant();
    const ids = [
      idOf(await create(key)),
      idOf(await create(key, undefined, tenant.keys.reveal)),
      idOf(await create(key, undefined, tenant.keys.public)),
      idOf(await create(key, undefined, other.keys.private)),
      idOf(await create(key, undefined, await authorizedSession())),
      idOf(await create(key, undefined, await authorizedSession())),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    const tokenized = await vault.request('POST', '/tokenize', {
      key: tenant.keys.private,
      body: { a: 'x' },
      headers: { 'bt-idempotency-key': key },
    });
    expect(tokenized.body).toEqual({ a: expect.any(String) });
    for (const id of [idOf(await create(randomUUID())), idOf(await create(randomUUID()))]) {
      const answer = await vault.request('PATCH', `/tokens/${id}`, {
        key: tenant.keys.private,
        body: { metadata: { a: 'b' } },
        headers: { 'bt-idempotency-key': key, 'content-type': 'application/merge-patch+json' },
      });
      expect(idOf(answer)).toBe(id);
    }
  });

  it('is the same one for another key of the application, and for another spelling of the path', async () => {
    const application = await createApplication(vault, tenant);
    const key = randomUUID();
    const first = await create(key, undefined, application.key);
    const added = await vault.request('POST', `/applications/${application.id}/keys`, { key: tenant.keys.management });
    const rotated = (added.body as { key: string }).key;
    expect(essence(await create(key, undefined, rotated))).toEqual(essence(first));
    const spelled = await vault.request('POST', '/tokens/?a=b', {
      key: application.key,
      body: { type: 'token', data: 'x' },
      headers: { 'bt-idempotency-key': key },
    });
    expect(essence(spelled)).toEqual(essence(first));
  });

  it('of a revoked application gets 401, and without the permission 403', async () => {
    const application = await createApplication(vault, tenant, { permissions: ['token:create'] });
    const key = randomUUID();
    expect((await create(key, undefined, application.key)).status).toBe(201);
    const path = `/applications/${application.id}`;
    const management = tenant.keys.management;
    await vault.request('PUT', path, { key: management, body: { name: 'less', permissions: ['token:read'] } });
    const becomes = (status: number) =>
      untilTrue(async () => (await create(key, undefined, application.key)).status === status, {
        waitingFor: String(status),
      });
    await becomes(403);
    await vault.request('DELETE', path, { key: management });
    await becomes(401);
  });
});

describe('a failure', () => {
  it('is not kept: the next request is handled', async () => {
    const key = randomUUID();
    expect((await create(key, { type: 'card', data: { number: '4242424242424241' } })).status).toBe(400);
    const id = `taken-${randomUUID()}`;
    expect((await create(randomUUID(), { id, type: 'token', data: 'x' })).status).toBe(201);
    expect((await create(key, { id, type: 'token', data: 'x' })).status).toBe(409);
    expect((await create(key, { type: 'nonsense', data: 'x' })).status).toBe(400);
    expect((await create(key)).status).toBe(201);
  });
});

describe('at the same time', () => {
  it('of 100 equal requests on two servers one does the work', async () => {
    const own = await vault.makeTenant();
    for (let round = 0; round < 5; round += 1) {
      const key = randomUUID();
      const before = await countTokens(own);
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          create(key, undefined, own.keys.private, index % 2 === 0 ? undefined : otherUrl),
        ),
      );
      expect(await countTokens(own)).toBe(before + 1);
      const good = answers.filter(({ status }) => status === 201);
      expect(good.length).toBeGreaterThan(0);
      expect(new Set(good.map(({ text }) => text)).size).toBe(1);
      const others = answers.filter(({ status }) => status !== 201);
      for (const answer of others) {
        expect(answer).toMatchObject({ status: 409, body: { type: '/docs/errors/idempotency-in-flight' } });
      }
    }
  });

  it('409 while the first is handled, and after its server died: for a day nobody does the work again', async () => {
    const own = await vault.makeTenant();
    const key = randomUUID();
    await create(key, undefined, own.keys.private);
    // This is the state after a server dies before it stores the result.
    await vault.database.owner.query(
      `update idempotency_results set is_answered = false, sealed = null, expires_at = now() + interval '24 hours'
        where tenant_id = $1`,
      [own.id],
    );
    const before = await countTokens(own);
    const repeat = async () => (await create(key, undefined, own.keys.private)).body;
    const inFlight = { status: 409, type: '/docs/errors/idempotency-in-flight' };
    const notKept = { status: 409, type: '/docs/errors/idempotency-answer-not-kept' };
    await age('50 seconds', own);
    expect(await repeat()).toMatchObject(inFlight);
    await age('10 seconds', own);
    expect(await repeat()).toMatchObject(notKept);
    await age('23 hours 58 minutes', own);
    expect(await repeat()).toMatchObject(notKept);
    expect(await countTokens(own)).toBe(before);
    await age('2 minutes', own);
    expect(await repeat()).toMatchObject({ type: 'token' });
  });

  it('an answer that comes after its claim was taken over does not replace the other', async () => {
    const own = await vault.makeTenant();
    const tenantId = parseTenantId(own.id);
    const store = new IdempotencyStore(vault.server.core.database);
    const hash = Buffer.alloc(16, 7);
    const [first, second] = [randomUUID(), randomUUID()];
    const keys = await vault.server.core.keyring.forTenant(tenantId);
    const seal = (text: string) => keys.seal(text, answerBinding(hash));
    expect(await store.claim(tenantId, hash, first)).toBe('claimed');
    expect(await store.claim(tenantId, hash, second)).toEqual({ isAnswered: false, isLost: false, sealed: null });
    await age('24 hours', own);
    expect(await store.claim(tenantId, hash, second)).toBe('claimed');
    await store.updateAnswered(tenantId, hash, first, seal('first'));
    await store.delete(tenantId, hash, first);
    expect(await store.claim(tenantId, hash, randomUUID())).toMatchObject({ isAnswered: false, sealed: null });
    const answer = seal('second');
    await store.updateAnswered(tenantId, hash, second, answer);
    expect(await store.claim(tenantId, hash, randomUUID())).toEqual({
      isAnswered: true,
      isLost: false,
      sealed: answer,
    });
  });
});

describe('the header', () => {
  it.each([
    ['a space', 'a b'],
    ['nothing', ''],
    ['a letter outside of ASCII', 'schl\u00fcssel'],
    ['256 characters', 'x'.repeat(256)],
    ['a tab', 'a\tb'],
  ])('400 with %s', async (_name, key) => {
    const answer = await create(key);
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toEqual(['BT-IDEMPOTENCY-KEY']);
  });

  it.each(['x', 'x'.repeat(255), '!"#$%&()*+,-./:;<=>?@[]^_`{|}~'])('takes %s', async (key) => {
    expect((await create(key)).status).toBe(201);
  });

  it.each([
    ['GET', '/tokens'],
    ['DELETE', '/tokens/none'],
  ])('means nothing on %s %s', async (method, path) => {
    const answer = await vault.request(method, path, {
      key: tenant.keys.private,
      headers: { 'bt-idempotency-key': 'a b' },
    });
    expect([200, 404]).toContain(answer.status);
  });

  it('means nothing where something is only read, or a session is made: each time is new', async () => {
    const headers = { 'bt-idempotency-key': randomUUID() };
    const id = idOf(await create(randomUUID(), { type: 'token', data: 'gone soon' }, tenant.keys.reveal));
    const detokenize = () =>
      vault.request('POST', '/detokenize', { key: tenant.keys.reveal, body: { a: `{{ ${id} }}` }, headers });
    expect((await detokenize()).body).toEqual({ a: 'gone soon' });
    await vault.request('DELETE', `/tokens/${id}`, { key: tenant.keys.reveal });
    expect((await detokenize()).status).toBe(400);
    const sessions = await Promise.all(
      [1, 2].map(() => vault.request('POST', '/sessions', { key: tenant.keys.public, headers })),
    );
    expect(new Set(sessions.map(({ text }) => text)).size).toBe(2);
  });
});

describe('what is kept', () => {
  it('is neither key nor answer in the clear', async () => {
    const key = `canary-${randomUUID()}`;
    const data = `canary-${randomUUID()}`;
    await create(key, { type: 'token', data, metadata: { a: data.slice(7) } }, tenant.keys.reveal);
    const { rows } = await vault.database.owner.query<{ row: string }>(
      `select idempotency_results::text || encode(coalesce(sealed, ''), 'escape') as row from idempotency_results`,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { row } of rows) {
      expect(row).not.toContain(data.slice(7));
      expect(row).not.toContain(key);
    }
  });

  it.each([
    [
      'moved to another key',
      'sealed = (select sealed from idempotency_results where tenant_id = $1 and sealed is not null and key_hash <> $2 limit 1)',
    ],
    ['changed by one bit', 'sealed = set_bit(sealed, 800, 1 - get_bit(sealed, 800))'],
  ])('does not open when it was %s', async (_name, change) => {
    const own = await vault.makeTenant();
    await create(randomUUID(), undefined, own.keys.private);
    const { rows: before } = await hashes(own);
    const key = randomUUID();
    await create(key, undefined, own.keys.private);
    const { rows: after } = await hashes(own);
    const added = after.find(({ key_hash }) => !before.some((row) => row.key_hash.equals(key_hash)));
    await vault.database.owner.query(
      `update idempotency_results set ${change} where tenant_id = $1 and key_hash = $2`,
      [own.id, added?.key_hash],
    );
    expect((await create(key, undefined, own.keys.private)).status).toBe(500);
  });

  it.each([
    ['POST /tokens', '/tokens', (card: object) => card],
    ['POST /tokenize', '/tokenize', (card: object) => ({ list: [card], plain: 'x' })],
  ])('leaves the card verification code out: %s', async (_name, path, wrap) => {
    const card = {
      type: 'card',
      data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '987' },
    };
    const headers = { 'bt-idempotency-key': randomUUID() };
    const send = () => vault.request('POST', path, { key: tenant.keys.reveal, body: wrap(card), headers });
    const [first, second] = [await send(), await send()];
    expect(first.text).toContain('"cvc":"987"');
    expect(second.status).toBe(first.status);
    expect(second.text).toBe(first.text.replace(',"cvc":"987"', ''));
  });

  it('leaves the secrets of keys out: they are shown once', async () => {
    const headers = { 'bt-idempotency-key': randomUUID() };
    const send = (path: string, body?: object) =>
      vault.request('POST', path, { key: tenant.keys.management, ...(body === undefined ? {} : { body }), headers });
    const wanted = { name: 'Once', type: 'private', permissions: ['token:create'] };
    const [made, again] = [await send('/applications', wanted), await send('/applications', wanted)];
    const { key, keys, ...rest } = made.body as { id: string; key: string; keys: { id: string; key?: string }[] };
    const shown = keys.map((one) => ({ ...one, key: undefined }));
    expect(again.status).toBe(201);
    expect(again.body).toEqual({ ...rest, keys: shown });
    expect(again.text).not.toContain(key);

    const path = `/applications/${rest.id}/keys`;
    const [added, repeated] = [await send(path), await send(path)];
    const { key: secret, ...known } = added.body as { key: string };
    expect(secret).toMatch(/^key_/);
    expect([repeated.status, repeated.body]).toEqual([201, known]);
  });

  it('is swept once its day is over, and nothing else is', async () => {
    const [old, young] = [await vault.makeTenant(), await vault.makeTenant()];
    for (let count = 0; count < 3; count += 1) await create(randomUUID(), undefined, old.keys.private);
    await create(randomUUID(), undefined, young.keys.private);
    await age('24 hours', old);
    await create(randomUUID(), undefined, old.keys.private);
    await sweepIdempotencyJob(vault.server.core.database).run(undefined);
    expect((await hashes(old)).rows).toHaveLength(1);
    expect((await hashes(young)).rows).toHaveLength(1);
  });
});

const hashes = (of: TestTenant) =>
  vault.database.owner.query<{ key_hash: Buffer }>('select key_hash from idempotency_results where tenant_id = $1', [
    of.id,
  ]);

async function authorizedSession(): Promise<string> {
  const session = await vault.request('POST', '/sessions', { key: tenant.keys.public });
  const { session_key, nonce } = session.body as { session_key: string; nonce: string };
  const body = { nonce, permissions: ['token:create'] };
  await vault.request('POST', '/sessions/authorize', { key: tenant.keys.private, body });
  return session_key;
}

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encryptForVault, type PublishedKey } from '../../../test/harness/client-encryption.ts';
import { makeClientKey } from '../../../test/harness/make-client-key.ts';
import { makeLimitedKey, ruleOn } from '../../../test/harness/limited-key.ts';
import { fieldsOf, uuidV4 } from '../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { toId, type TenantId } from '../../core/identity/ids.ts';
import { Reencryption, rotateDataKey } from '../keys/index.ts';
import { deleteExpiredClientKeys } from './client-key-store.ts';
import { sealedClientKeys } from './sealed-client-keys-sql.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const dayMs = 24 * 3_600_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const ask = (method: string, below = '', body?: unknown, key = tenant.keys.management) =>
  vault.request(method, `/keys${below}`, { key, ...(body === undefined ? {} : { body }) });
const post = (path: string, body: unknown, key = tenant.keys.reveal) => vault.request('POST', path, { key, body });
const get = async (id: string, key = tenant.keys.reveal) =>
  (await vault.request('GET', `/tokens/${id}`, { key })).body as { data?: unknown };
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };
const encryptCard = (key: PublishedKey) => encryptForVault(JSON.stringify(card), key);

async function recorded(): Promise<string[]> {
  const records = await vault.auditRecords(tenant.id);
  return records
    .filter((record) => record['entity_type'] === 'client_key')
    .map(({ operation, entity_id }) => `${String(operation)} ${String(entity_id)}`);
}

describe('/keys', () => {
  it('creates, lists, shows and deletes a key, and records each', async () => {
    const { status, body } = await ask('POST', '', {});
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(uuidV4),
        key_id: expect.stringMatching(uuidV4),
        public_key_pem: expect.stringContaining('BEGIN PUBLIC KEY'),
        expires_at: expect.any(String),
      },
    ]);
    const { id, expires_at: end } = body as { id: string; expires_at: string };
    expect(Date.parse(end)).toBeGreaterThan(Date.now() + 364 * dayMs);
    expect((await ask('GET')).body).toEqual([body]);
    expect((await ask('GET', `/${id}`)).body).toEqual(body);
    expect((await ask('DELETE', `/${id}`)).status).toBe(204);
    expect((await ask('GET', `/${id}`)).status).toBe(404);
    expect((await ask('DELETE', `/${id}`)).status).toBe(404);
    expect(await recorded()).toEqual(expect.arrayContaining([`create ${id}`, 'read *', `read ${id}`, `delete ${id}`]));
  });

  it.each([inDays(-1), inDays(400), 'tomorrow'])('400 refuses the expiry %s', async (expires_at) => {
    const answer = await ask('POST', '', { expires_at });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['expires_at']]);
  });

  it('403 refuses keys of private and public applications', async () => {
    for (const key of [tenant.keys.private, tenant.keys.public, tenant.keys.reveal])
      expect((await ask('POST', '', {}, key)).status).toBe(403);
  });

  it('never returns a private half, and stores none in the clear', async () => {
    await makeClientKey(vault, tenant);
    const { rows } = await vault.database.owner.query<{ sealed: Buffer }>(
      'select private_key as sealed from client_keys where tenant_id = $1',
      [tenant.id],
    );
    // PKCS #8 of X25519 begins with these bytes.
    const prefix = Buffer.from('302e020100300506032b656e', 'hex');
    expect(rows[0]?.sealed.includes(prefix.toString('base64').slice(0, 12))).toBe(false);
    expect(rows[0]?.sealed.includes(prefix)).toBe(false);
  });

  it('400 refuses more than a hundred', async () => {
    await vault.database.owner.query(
      `insert into client_keys (tenant_id, id, public_key, private_key, expires_at)
        select $1, gen_random_uuid(), '', '', now() + interval '1 day' from generate_series(1, 100)`,
      [tenant.id],
    );
    expect((await ask('POST', '', {})).status).toBe(400);
  });
});

describe('data that a client has encrypted', () => {
  it('201 becomes a token like data that was sent as it is', async () => {
    const key = await makeClientKey(vault, tenant);
    const answer = await post('/tokens', { type: 'card', encrypted: encryptCard(key), metadata: { order: '7' } });
    expect(answer).toMatchObject({ status: 201, body: { card: { last4: '4242' }, metadata: { order: '7' } } });
    expect((await get((answer.body as { id: string }).id)).data).toEqual(card);
  });

  it('keeps the exact text of numbers', async () => {
    const key = await makeClientKey(vault, tenant);
    const encrypted = encryptForVault(' {"n": 12345678901234567890, "z": -0} ', key);
    const { body } = await post('/tokens', { type: 'token', encrypted });
    const { text } = await vault.request('GET', `/tokens/${(body as { id: string }).id}`, { key: tenant.keys.reveal });
    expect(text).toContain('{"n": 12345678901234567890, "z": -0}');
  });

  it.each([
    ['"4242424242424242"', 'card_number'],
    ['4242424242424242', 'card_number'],
    ['123-45-6789', 'social_security_number'],
    ['Zoë, "quoted"', 'token'],
  ])('201 takes the text %s as %s, with and without quotes', async (text, type) => {
    const key = await makeClientKey(vault, tenant);
    const { status, body } = await post('/tokens', { type, encrypted: encryptForVault(text, key) });
    expect(status).toBe(201);
    expect((await get((body as { id: string }).id)).data).toBe(
      text.replaceAll(/^"|"$/g, text.startsWith('"') ? '' : '"'),
    );
  });

  it('200 becomes tokens in a tokenize request', async () => {
    const key = await makeClientKey(vault, tenant);
    const { status, body } = await post('/tokenize', {
      cards: [{ type: 'card', encrypted: encryptCard(key) }],
      name: 'Ada',
    });
    expect([status, body]).toMatchObject([200, { cards: [{ type: 'card', card: { last4: '4242' } }] }]);
  });

  it.each<[string, (key: PublishedKey) => Promise<string> | string]>([
    ['an unknown key', (key) => encryptForVault('1', { ...key, key_id: crypto.randomUUID() })],
    [
      'the wrong key',
      async (key) => encryptForVault('1', { ...(await makeClientKey(vault, tenant)), key_id: key.key_id }),
    ],
    ['the key of another tenant', async () => encryptCard(await makeClientKey(vault, await vault.makeTenant()))],
    ['another algorithm', (key) => encryptForVault('1', key, { enc: 'A128GCM' })],
    ['no JWE', () => 'eyJhbGciOiJub25lIn0..'],
  ])('400 refuses %s, and stores nothing', async (_name, encrypt) => {
    const encrypted = await encrypt(await makeClientKey(vault, tenant));
    const answer = await post('/tokens', { type: 'token', encrypted });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['encrypted']]);
    const { rowCount } = await vault.database.owner.query('select from tokens where tenant_id = $1', [tenant.id]);
    expect(rowCount).toBe(0);
  });

  it('400 refuses data beside it, its absence, and an update', async () => {
    const encrypted = encryptCard(await makeClientKey(vault, tenant));
    expect(fieldsOf(await post('/tokens', { type: 'card', data: card, encrypted }))).toEqual(['encrypted']);
    expect(fieldsOf(await post('/tokens', { type: 'card' }))).toEqual(['data']);
    expect(fieldsOf(await post('/tokens', { type: 'card', encrypted: null }))).toEqual(['data']);
    const { body } = await post('/tokens', { type: 'card', encrypted });
    const patched = await vault.request('PATCH', `/tokens/${(body as { id: string }).id}`, {
      key: tenant.keys.reveal,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { encrypted },
    });
    expect([patched.status, fieldsOf(patched)]).toEqual([400, ['encrypted']]);
  });

  it('400 is refused once its key has expired, before the sweep removes it', async () => {
    const key = await makeClientKey(vault, tenant);
    const encrypted = encryptCard(key);
    await vault.database.owner.query('update client_keys set expires_at = now() where tenant_id = $1', [tenant.id]);
    expect(fieldsOf(await post('/tokens', { type: 'card', encrypted }))).toEqual(['encrypted']);
    expect((await ask('GET', `/${key.key_id}`)).status).toBe(404);
    expect((await ask('GET')).body).toEqual([]);
    const { database } = vault.server.core;
    const tenantId = toId<TenantId>(tenant.id);
    expect(await database.forTenant(tenantId, (tx) => deleteExpiredClientKeys(tx, tenantId, 10))).toBe(1);
    expect(await recorded()).toContain(`expire ${key.key_id}`);
  });

  it('is decrypted with a key that has been re-encrypted', async () => {
    const key = await makeClientKey(vault, tenant);
    const { database, rootKeys, keyring } = vault.server.core;
    const tenantId = toId<TenantId>(tenant.id);
    await rotateDataKey({ database, rootKeys }, tenantId);
    keyring.forget(tenantId);
    const run = new Reencryption({ database, keyring, tables: [sealedClientKeys], settleMs: 0 });
    await run.run(tenantId, { rowsPerSecond: 1_000_000, onProgress: () => undefined });
    const { rows } = await vault.database.owner.query<{ version: number }>(
      'select key_version(private_key) as version from client_keys where tenant_id = $1',
      [tenant.id],
    );
    expect(rows).toEqual([{ version: 2 }]);
    expect((await post('/tokens', { type: 'card', encrypted: encryptCard(key) })).status).toBe(201);
  });

  it('403 is not even decrypted for a caller that may not store it', async () => {
    const key = await makeClientKey(vault, tenant);
    const elsewhere = await makeLimitedKey(vault, tenant, { rules: [ruleOn('/other/', 'mask', 'token:create')] });
    for (const encrypted of [
      encryptCard(key),
      encryptForVault('{}', key),
      encryptForVault('1', { ...key, key_id: tenant.id }),
    ])
      expect((await post('/tokens', { type: 'card', encrypted }, elsewhere)).status).toBe(403);
  });
});

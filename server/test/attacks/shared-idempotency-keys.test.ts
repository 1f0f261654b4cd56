import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../harness/test-application.ts';
import { createTestDatabase, openTestDatabase } from '../harness/test-database.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { WireRelay } from '../harness/wire-relay.ts';

let vault: TestVault;
let tenant: TestTenant;

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const idOf = (answer: { body: unknown }) => (answer.body as { id: string }).id;
const post = (path: string, key: string, body: unknown, idempotencyKey: string) =>
  vault.request('POST', path, { key, body, headers: { 'bt-idempotency-key': idempotencyKey } });

describe('holders of one public key who choose the same idempotency key', () => {
  const visitors: [string, object, object][] = [
    ['cards', { type: 'card_number', data: '4242424242424242' }, { type: 'card_number', data: '5555555555554444' }],
    ['texts', { type: 'token', data: 'first' }, { type: 'token', data: 'second' }],
    [
      'metadata',
      { type: 'token', data: 'x', metadata: { a: '1' } },
      { type: 'token', data: 'x', metadata: { a: '2' } },
    ],
  ];

  it.each(visitors)('store each their own: %s', async (name, first, second) => {
    const one = await post('/tokens', tenant.keys.public, first, `order ${name}`.replace(' ', '-'));
    const two = await post('/tokens', tenant.keys.public, second, `order ${name}`.replace(' ', '-'));
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(idOf(two)).not.toBe(idOf(one));
  });

  it('see nothing of each other where creating reveals', async () => {
    const rules = [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:create'] }];
    const { key } = await createApplication(vault, tenant, { type: 'public', permissions: [], rules });
    await post('/tokens', key, { type: 'token', data: 'of the first visitor' }, 'cart-7');
    const second = await post('/tokens', key, { type: 'token', data: 'of the second' }, 'cart-7');
    expect(second.text).not.toContain('of the first visitor');
    expect(second.body).toMatchObject({ data: 'of the second' });
  });

  it.each(['/tokens', '/tokenize'])('still do nothing twice with the same body at %s', async (path) => {
    const body = { type: 'token', data: 'once' };
    const [one, two] = [
      await post(path, tenant.keys.public, body, `again-${path.length}`),
      await post(path, tenant.keys.public, body, `again-${path.length}`),
    ];
    expect(idOf(two)).toBe(idOf(one));
  });

  it('of a private key another body still repeats the first result', async () => {
    const one = await post('/tokens', tenant.keys.private, { type: 'token', data: 'a' }, 'private-1');
    const two = await post('/tokens', tenant.keys.private, { type: 'token', data: 'b' }, 'private-1');
    expect(idOf(two)).toBe(idOf(one));
  });
});

describe('a create whose commit was not heard', () => {
  it('is not done twice under one idempotency key', async () => {
    const real = await createTestDatabase();
    let isArmed = false;
    const silences = (sent: string) => {
      const isHit = isArmed && sent.includes('token-insert');
      if (isHit) isArmed = false;
      return isHit;
    };
    const relay = await WireRelay.start(real.url, { silences });
    const database = openTestDatabase(relay.urlOf(real.url));
    const cut = await TestVault.start(undefined, { database, databaseTimeoutSeconds: 10 });
    try {
      const { id, keys } = await cut.makeTenant();
      const create = (data: string, key: string) =>
        cut.request('POST', '/tokens', {
          key: keys.private,
          body: { type: 'token', data },
          headers: { 'bt-idempotency-key': key },
        });
      expect((await create('before', 'key-1')).status).toBe(201);
      isArmed = true;
      expect((await create('once', 'key-2')).status).toBe(503);
      expect((await create('once', 'key-2')).status).toBe(409);
      const { rows } = await real.owner.query('select id from tokens where tenant_id = $1', [id]);
      expect(rows).toHaveLength(2);
    } finally {
      await cut.stop();
      await relay.stop();
      await real.drop();
    }
  });
});

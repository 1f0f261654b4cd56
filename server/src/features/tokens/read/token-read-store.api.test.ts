import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askTogether } from '../../../../test/harness/ask-together.ts';
import { StatementTap } from '../../../../test/harness/statement-tap.ts';
import { createApplication } from '../../../../test/harness/test-application.ts';
import { type TestResponse, type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';

let vault: TestVault;
let tap: StatementTap;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  tap = new StatementTap();
});
afterAll(async () => {
  tap.close();
  await vault.stop();
});

const get = (id: string, key: string) =>
  vault.request('GET', `/tokens/${id}`, { key, headers: { 'bt-trace-id': `of-${id}` } });

async function create(body: object): Promise<void> {
  expect((await vault.request('POST', '/tokens', { key: tenant.keys.private, body })).status).toBe(201);
}

/**
 * Creates keys of two applications with the same read access: one through a single rule for everything, one through a
 * rule for each container.
 */
async function makeKeys(transform: 'redact' | 'mask' | 'reveal') {
  const keyOf = async (...containers: string[]) => {
    const rules = containers.map((container, index) => ({
      description: '',
      priority: index + 1,
      container,
      transform,
      permissions: ['token:read'],
    }));
    return (await createApplication(vault, tenant, { permissions: [], rules })).key;
  };
  return { ofAll: await keyOf('/'), ofEach: await keyOf('/pci/', '/pii/', '/bank/') };
}

async function readsOf(id: string): Promise<Record<string, unknown>[]> {
  const records = await vault.auditRecords(tenant.id);
  return records.filter(({ entity_id, operation }) => entity_id === id && operation === 'read');
}

const readTogether = (asks: readonly (() => Promise<TestResponse>)[]) =>
  askTogether(
    {
      vault,
      tap,
      name: 'token-read',
      batchesMax: 1,
      isSent: ({ name }) => name === 'token-read',
      askAhead: () => get('nothing-here', tenant.keys.reveal),
    },
    asks,
  );

/** All fields except those that differ between any two records, and the reader. */
const sealedFields = [
  'entity_id',
  'entity_type',
  'operation',
  'outcome',
  'actor_type',
  'request_id',
  'source_address',
  'containers',
  'destination',
  'transform',
  'details',
];

describe('a read by somebody whose rights are the same for every token', () => {
  it.each(['redact', 'mask', 'reveal'] as const)(
    'is one statement, and on record as any other: %s',
    async (transform) => {
      const tokens = [
        { id: `card-${transform}`, type: 'card', data: { number: '4242424242424242' } },
        { id: `bank-${transform}`, type: 'bank', data: { routing_number: '021000021', account_number: '123456789' } },
        { id: `text-${transform}`, type: 'token', data: 'v', containers: ['/pii/low/', '/general/x/'] },
      ];
      const { ofAll, ofEach } = await makeKeys(transform);
      for (const token of tokens) {
        await create(token);
        const whole = await tap.during(() => get(token.id, ofAll), 'token');
        expect(whole.map(({ name }) => name)).toEqual(['token-read']);
        const apart = await get(token.id, ofEach);
        expect((await get(token.id, ofAll)).text).toBe(apart.text);

        const records = (await readsOf(token.id)).map((record) => sealedFields.map((field) => record[field]));
        expect(records).toHaveLength(3);
        expect(new Set(records.map((record) => JSON.stringify(record))).size).toBe(1);
        expect((await readsOf(token.id))[0]).toMatchObject({
          transform,
          outcome: 'success',
          request_id: `of-${token.id}`,
        });
      }
    },
  );

  it('is not on record where there is no token, and leaves those beside it alone', async () => {
    await create({ id: 'here', type: 'token', data: 'v' });
    const answers = await readTogether([
      () => get('here', tenant.keys.reveal),
      () => get('not-here', tenant.keys.reveal),
      () => get('here', tenant.keys.reveal),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200]);
    expect(await readsOf('here')).toHaveLength(2);
    const missed = (await readsOf('not-here')).map(({ outcome }) => outcome);
    expect(missed.filter((outcome) => outcome === 'success')).toEqual([]);
  });

  it('is on record once, however often it does not fit beside others', async () => {
    const bulk = 'x'.repeat(4 * 1024 * 1024 - 1_000);
    const ids = ['long-1', 'long-2', 'long-3', 'long-4'];
    for (const id of ids) await create({ id, type: 'token', data: bulk });
    const answers = await readTogether(ids.map((id) => () => get(id, tenant.keys.reveal)));
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
    for (const id of ids) expect(await readsOf(id)).toHaveLength(1);
  });

  it('shows nothing if its record cannot be written', async () => {
    await create({ id: 'unrecorded', type: 'token', data: 'secret value' });
    await vault.database.owner.query(`create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'no space' using errcode = '53100'; end $$`);
    await vault.database.owner.query(
      'create trigger refused before insert on audit_records for each row execute function refuse()',
    );
    try {
      const { status, text } = await get('unrecorded', tenant.keys.reveal);
      expect(status).toBeGreaterThanOrEqual(500);
      expect(text).not.toContain('secret value');
    } finally {
      await vault.database.owner.query('drop trigger refused on audit_records; drop function refuse()');
    }
    expect(await readsOf('unrecorded')).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { welcome } from '../harness/portal-people.ts';
import type { PortalVisitor } from '../harness/portal-visitor.ts';
import { sealAll, signerOf } from '../harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

// An attacker who raised an alert wants it to look handled: as somebody who may only look, from another tenant, with
// another record, or with text of their own.

const ownPage = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
let vault: TestVault;
let tenant: TestTenant;
let admin: PortalVisitor;
let alert: { readonly id: string; readonly raised_at: string };

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  ({ visitor: admin } = await welcome(vault, tenant));
  alert = await raise('alert');
  await sealAll(vault.database, signerOf(vault.server));
});
afterAll(() => vault.stop());

async function raise(operation: string): Promise<typeof alert> {
  const { rows } = await vault.database.owner.query<{ id: string; created_at: Date }>(
    `insert into audit_records (tenant_id, entity_type, entity_id, operation, outcome, actor_type, details)
      values ($1, 'key', 'key-1', $2, 'success', 'system', '{"rule":"misses","count":100}') returning id, created_at`,
    [tenant.id, operation],
  );
  const [row] = rows;
  return { id: row?.id ?? '', raised_at: row?.created_at.toISOString() ?? '' };
}

async function acknowledge(visitor: PortalVisitor, { id, raised_at } = alert, more: object = {}): Promise<number> {
  const body = JSON.stringify({ raised_at, reason: 'handled', ...more });
  return (await visitor.send('POST', `/portal/api/alerts/${id}/acknowledge`, ownPage, body)).status;
}

const acknowledgements = async () =>
  (await vault.auditRecords(tenant.id)).filter(
    (one) => one['operation'] === 'acknowledge' && one['outcome'] === 'success',
  );

describe('nobody acknowledges an alert', () => {
  it('who may only look', async () => {
    const { visitor, email } = await welcome(vault, tenant);
    await vault.database.owner.query(
      `update members set role = 'READ_ONLY' where tenant_id = $1 and user_id = (select id from users where email = $2)`,
      [tenant.id, email],
    );
    expect(await acknowledge(visitor)).toBe(403);
    const denied = { entity_type: 'tenant', operation: 'update', outcome: 'denied', actor_type: 'user' };
    expect((await vault.auditRecords(tenant.id)).at(-1)).toMatchObject(denied);
  });

  it('of another tenant', async () => {
    const { visitor } = await welcome(vault, await vault.makeTenant());
    expect(await acknowledge(visitor)).toBe(404);
  });

  it('that is another record, or that is said to be of another time', async () => {
    expect(await acknowledge(admin, await raise('update'))).toBe(404);
    expect(await acknowledge(admin, { ...alert, raised_at: '2020-01-01T00:00:00.000Z' })).toBe(404);
    expect(await acknowledge(admin, { ...alert, id: crypto.randomUUID() })).toBe(404);
    expect(await acknowledge(admin, { ...alert, id: 'x' })).toBe(404);
  });

  it.each([{ reason: 'card 4242424242424242' }, { note: '4242424242424242' }, { reason: null }, { raised_at: 'x' }])(
    'with text of their own: %j',
    async (more) => {
      expect(await acknowledge(admin, alert, more)).toBe(400);
      expect(JSON.stringify(await vault.auditRecords(tenant.id))).not.toContain('424242');
    },
  );

  it('and nothing of this is recorded as an acknowledgement', async () => {
    expect(await acknowledgements()).toEqual([]);
  });
});

it('an admin does, with a record under their own name that names the alert and stays', async () => {
  expect(await acknowledge(admin)).toBe(204);
  expect(await acknowledge(admin, alert, { reason: 'expected' })).toBe(204);
  const details = (await acknowledgements()).map((one) => JSON.parse(String(one['details'])) as unknown);
  expect(details).toEqual([
    { within: alert.id, reason: 'handled' },
    { within: alert.id, reason: 'expected' },
  ]);
  expect((await acknowledgements())[0]).toMatchObject({ entity_type: 'key', entity_id: 'key-1', actor_type: 'user' });
});

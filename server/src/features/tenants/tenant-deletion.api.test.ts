import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listQueued } from '../../../test/harness/queued-jobs.ts';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { askPortal, removeAtOnce, signInAs } from '../../../test/harness/tenant-people.ts';
import { type ApiResource, createResource, listResources } from '../../../test/harness/api-resources.ts';
import { tapApi } from '../../../test/harness/route-tap.ts';
import { recordsOf } from '../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import { purgeTenantJob } from './index.ts';
import { addDelivery } from '../../../test/harness/webhook-delivery.ts';

let vault: TestVault;
let resources: readonly ApiResource[];
beforeAll(async () => {
  const tapped = await tapApi(() => TestVault.start());
  vault = tapped.started;
  resources = listResources(tapped.routes);
});
afterAll(() => vault.stop());

const createToken = (tenant: TestTenant, body: object = { type: 'token', data: 'Sensitive Value' }) =>
  vault.request('POST', '/tokens', { key: tenant.keys.reveal, body, headers: { 'bt-idempotency-key': randomUUID() } });
/** A token that has rows in every table that belongs to tokens. */
const card = {
  type: 'card',
  data: { number: '4242424242424242', cvc: '123' },
  metadata: { order: '7' },
  search_indexes: ['{{ data.number | last4 }}'],
  deduplicate_token: true,
};
const remove = (tenant: TestTenant) => removeAtOnce(vault, tenant);

/** Returns the number of rows of a tenant in each table, except the audit log, which outlives a tenant. */
async function rowsOf(tenantId: string): Promise<Record<string, number>> {
  const { rows: tables } = await vault.database.owner.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and (column_name = 'tenant_id' or (table_name = 'tenants' and column_name = 'id'))
        and table_name not like 'audit%'`,
  );
  const counts = await Promise.all(
    tables.map(async ({ table, column }) => {
      const { rows } = await vault.database.owner.query(`select from ${table} where ${column} = $1`, [tenantId]);
      return [table, rows.length] as const;
    }),
  );
  return Object.fromEntries(counts);
}

describe('DELETE /tenants/self with the name of the tenant, by its owner,', () => {
  it('204 takes the keys, leaves tokens that nothing can open, and has the rest removed by a job', async () => {
    const tenant = await vault.makeTenant();
    const other = await vault.makeTenant();
    const token = (await createToken(tenant)).body as { id: string };
    await createToken(other, card);
    expect((await createToken(tenant, card)).status).toBe(201);
    for (const { keys } of [tenant, other]) {
      expect((await vault.request('POST', '/sessions', { key: keys.public })).status).toBe(201);
      for (const resource of resources) await createResource(vault, { keys }, resource);
    }
    await vault.database.owner.query(
      `insert into proxy_calls (tenant_id, id, destination)
        select tenant, gen_random_uuid(), 'api.provider.example' from unnest($1::uuid[]) as tenant`,
      [[tenant.id, other.id]],
    );
    // These rows are left over from an earlier version that stored claims.
    await vault.database.owner.query(
      `insert into token_fingerprints (tenant_id, fingerprint) select tenant, 'left' from unnest($1::uuid[]) as tenant`,
      [[tenant.id, other.id]],
    );
    await vault.database.owner.query(
      `insert into reencryptions (tenant_id, source, target_version) select tenant, 'tokens', 1 from unnest($1::uuid[]) as tenant`,
      [[tenant.id, other.id]],
    );
    await vault.database.owner.query(
      `insert into token_imports (tenant_id, source, settings) select tenant, '', '' from unnest($1::uuid[]) as tenant`,
      [[tenant.id, other.id]],
    );
    await vault.database.owner.query(
      `with made as (
          insert into token_exports (tenant_id, id, recipient_kind, recipient, fingerprint, requested_from, approvals_needed, expires_at)
          select tenant, gen_random_uuid(), 'age', '', '', '', 0, now() from unnest($1::uuid[]) as tenant returning tenant_id, id)
        insert into token_export_approvals (tenant_id, export_id, user_id)
        select tenant_id, id, gen_random_uuid() from made`,
      [[tenant.id, other.id]],
    );
    await vault.database.owner.query(
      `with made as (
          insert into approval_requests (tenant_id, id, kind, subject_id, change, basis, requested_by, approvals_needed, expires_at)
          select tenant, gen_random_uuid(), 'settings', tenant, '{}', '', tenant, 1, now() from unnest($1::uuid[]) as tenant
          returning tenant_id, id)
        insert into approval_votes (tenant_id, request_id, user_id) select tenant_id, id, gen_random_uuid() from made`,
      [[tenant.id, other.id]],
    );
    // A hold in force would keep the tenant.
    await vault.database.owner.query(
      `with erased as (
          insert into erasures (tenant_id, id, selection, is_limited, counted, held)
          select tenant, gen_random_uuid(), '{}', false, 0, 0 from unnest($1::uuid[]) as tenant returning tenant_id, id),
        batches as (
          insert into erasure_batches (tenant_id, erasure_id, sealing_order, tokens) select tenant_id, id, 1, 1 from erased),
        swept as (insert into retention_sweeps (tenant_id, swept_at) select unnest($1::uuid[]), now())
        update legal_holds set lifted_at = now() where tenant_id = any($1)`,
      [[tenant.id, other.id]],
    );
    await vault.database.owner.query(
      `with arrived as (
          insert into tenant_moves (tenant_id, direction, id, cell, step, decided_at)
          select tenant, 'in', gen_random_uuid(), 'eu1', 'opened', now() from unnest($1::uuid[]) as tenant)
        insert into tenant_move_marks (tenant_id, number) select unnest($1::uuid[]), 1`,
      [[tenant.id, other.id]],
    );
    await vault.database.owner.query(
      `with made as (insert into users (id) values (gen_random_uuid()) returning id)
        insert into former_members (tenant_id, user_id) select tenant, id from unnest($1::uuid[]) as tenant, made`,
      [[tenant.id, other.id]],
    );
    for (const { id, keys } of [tenant, other]) {
      const { body } = await vault.request('GET', '/webhooks', { key: keys.management });
      const webhookId = (body as { data: { id: string }[] }).data[0]?.id ?? '';
      await addDelivery(vault.database.owner, { tenantId: id, webhookId, id: crypto.randomUUID() });
    }
    const otherBefore = await rowsOf(other.id);
    for (const [table, rows] of Object.entries(otherBefore)) expect([table, rows]).not.toEqual([table, 0]);
    expect(await openStored(tenant, token.id)).toBe('"Sensitive Value"');

    expect(await remove(tenant)).toMatchObject({ status: 204, body: {} });
    for (const key of Object.values(tenant.keys)) {
      await untilTrue(async () => (await vault.request('GET', '/applications/key', { key })).status === 401, {
        waitingFor: 'the key to be refused',
      });
    }
    expect(await rowsOf(tenant.id)).toMatchObject({
      tenants: 0,
      members: 0,
      applications: 0,
      application_keys: 0,
      tenant_keys: 0,
      tokens: 2,
    });
    await expect(openStored(tenant, token.id)).rejects.toThrow('There is no such tenant.');

    const payload = await payloadOf(`purge-tenant:${tenant.id}`);
    expect(payload).toEqual({ tenant_id: tenant.id });

    const job = purgeTenantJob(vault.server.core.database);
    await job.run(payload);
    await job.run(payload);
    for (const [table, rows] of Object.entries(await rowsOf(tenant.id))) expect([table, rows]).toEqual([table, 0]);
    expect(await rowsOf(other.id)).toEqual(otherBefore);
    // Creating the resources may have left records by the application that created them.
    const records = (await recordsOf(vault, tenant, tenant.id)).filter((one) => one['actor_type'] !== 'application');
    expect(records.map(({ operation, actor_type }) => [operation, actor_type].join(' ')).toSorted()).toEqual([
      'create system',
      'delete user',
      'remove user',
    ]);
  });

  it('204 purges more tokens than one step of the job takes', async () => {
    const tenant = await vault.makeTenant();
    await vault.database.owner.query(
      `insert into tokens (tenant_id, id, type, data, containers, shelf, created_by)
        select $1, 'token-' || number, 'token', ''::bytea, '{/}', 'token /', $1 from generate_series(1, 2500) as number`,
      [tenant.id],
    );
    await remove(tenant);
    await purgeTenantJob(vault.server.core.database).run({ tenant_id: tenant.id });
    expect((await rowsOf(tenant.id))['tokens']).toBe(0);
  });

  it('refuses to purge a tenant that still exists', async () => {
    const tenant = await vault.makeTenant();
    await createToken(tenant);
    const before = await rowsOf(tenant.id);
    await expect(purgeTenantJob(vault.server.core.database).run({ tenant_id: tenant.id })).rejects.toThrow(
      'A tenant that still exists is not purged.',
    );
    expect(await rowsOf(tenant.id)).toEqual(before);
  });

  it.each([{}, { tenant_id: 7 }, { tenant_id: 'all' }, null])('refuses to purge %j', async (payload) => {
    await expect(purgeTenantJob(vault.server.core.database).run(payload)).rejects.toThrow(
      'A tenant id must be a UUID.',
    );
  });

  it.each(['', '?name=Test'])('has one winner among 10 deletions with "%s", and one record', async (query) => {
    const tenant = await vault.makeTenant();
    const key = tenant.keys.management;
    const owner = query === '' ? undefined : await signInAs(vault, tenant, 'OWNER');
    const once = () =>
      owner === undefined
        ? vault.request('DELETE', '/tenants/self', { key })
        : askPortal(owner, 'DELETE', `/tenants/self${query}`);
    const answers = await Promise.all(Array.from({ length: 10 }, once));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    // The request of a member that arrives too late names no tenant, or one that no longer exists. A key is rejected.
    const late = query === '' ? [401, 404] : [400, 401, 403, 404];
    expect(statuses.filter((status) => late.includes(status))).toHaveLength(9);
    const deletions = (await recordsOf(vault, tenant, tenant.id)).filter(({ operation }) => operation === 'delete');
    expect(deletions).toHaveLength(1);
  });

  it('never answers 500 to what arrives during the deletion', async () => {
    const tenant = await vault.makeTenant();
    const body = { name: 'Late', type: 'private', permissions: ['token:read'] };
    const key = tenant.keys.management;
    const late = () => [
      vault.request('POST', '/applications', { key, body }),
      vault.request('GET', '/tenants/self', { key }),
      vault.request('PUT', '/tenants/self', { key, body: { name: 'Test' } }),
      vault.request('GET', '/applications', { key }),
      vault.request('GET', '/tenants/self/owner', { key }),
    ];
    const owner = await signInAs(vault, tenant, 'OWNER');
    const removal = () => askPortal(owner, 'DELETE', '/tenants/self?name=Test');
    const answers = await Promise.all([...late(), ...late(), removal(), ...late(), ...late(), ...late()]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    expect(statuses).toContain(204);
  });
});

async function payloadOf(key: string): Promise<unknown> {
  const jobs = await listQueued(vault.database.owner, 'purge-tenant');
  return jobs.find((job) => job.key === key)?.payload;
}

/** Decrypts a token from its row, in the same way as the server. */
async function openStored(tenant: TestTenant, tokenId: string): Promise<string> {
  const tenantId = parseTenantId(tenant.id);
  const { rows } = await vault.database.owner.query<{ data: Buffer }>(
    'select data from tokens where tenant_id = $1 and id = $2',
    [tenantId, tokenId],
  );
  const data = rows[0]?.data ?? Buffer.alloc(0);
  const keys = await vault.server.core.keyring.forRecord(tenantId, data);
  return keys.open(data, { tokenId, field: 'data', type: 'token', recordVersion: 1 });
}

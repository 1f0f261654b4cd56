import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestTenant, TestVault } from '../../test/harness/test-vault.ts';
import { purgeTenantJob } from '../features/tenants/index.ts';
import { sweepTokensJobs } from '../features/tokens/index.ts';
import { dropOldMonths } from '../platform/audit/audit-retention-job.ts';
import { sealVault, signerOf } from '../../test/harness/sealed-log.ts';
import type { Job } from '../platform/jobs/job.ts';
import { jobOnAll } from '../platform/jobs/job-on-all.ts';
import { verifyDatabase } from '../platform/audit/log-verification.ts';
import { withLog } from './open-log.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

async function createTokens(of: TestTenant, count: number, more: object = {}): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, () =>
      vault.request('POST', '/tokens', { key: of.keys.private, body: { type: 'token', data: 'x', ...more } }),
    ),
  );
}

async function countOnNodes(table: string, tenantId: string, key = 'tenant_id'): Promise<number[]> {
  return Promise.all(
    vault.nodes.map(async ({ database }) => {
      const { rows } = await database.owner.query<{ n: number }>(
        `select count(*)::integer as n from ${table} where ${key} = $1`,
        [tenantId],
      );
      return rows[0]?.n ?? 0;
    }),
  );
}

describe('a job on several databases', () => {
  const jobOf = (run: Job['run']): Job => ({ name: 'test', run });

  it('gives each its turn, and then tells of one that failed', async () => {
    const done: number[] = [];
    const job = jobOnAll([1, 2, 3], (place) =>
      jobOf(async () => {
        if (place === 2) throw new Error('in trouble');
        done.push(place);
      }),
    );
    await expect(job.run(undefined)).rejects.toThrow('in trouble');
    expect(done).toEqual([1, 3]);
  });

  it('starts no other once it is to end', async () => {
    const ending = new AbortController();
    const done: number[] = [];
    const job = jobOnAll([1, 2], (place) =>
      jobOf(async () => {
        done.push(place);
        ending.abort();
      }),
    );
    await expect(job.run(undefined, ending.signal)).rejects.toThrow();
    expect(done).toEqual([1]);
  });
});

it('removes expired tokens from every node, each with its record there', async () => {
  await createTokens(tenant, 12, { expires_at: new Date(Date.now() + 3_600_000).toISOString() });
  for (const { database } of vault.nodes)
    await database.owner.query(`update tokens set expires_at = now() - interval '1 second'`);
  const before = await countOnNodes('tokens', tenant.id);
  expect(before.every((count) => count > 0)).toBe(true);
  for (const job of sweepTokensJobs(vault.server.core.nodes)) await job.run(undefined);
  expect(await countOnNodes('tokens', tenant.id)).toEqual([0, 0]);
  const expired = await Promise.all(
    vault.nodes.map(({ database }) =>
      database.owner.query(`select from audit_records where tenant_id = $1 and operation = 'expire'`, [tenant.id]),
    ),
  );
  expect(expired.map(({ rowCount }) => rowCount)).toEqual(before);
});

it('drops old months of the log on a node, records that there, and the rest verifies', async () => {
  const [node] = vault.nodes;
  if (node === undefined) throw new Error('There are no nodes.');
  const month = '2020-01';
  await node.database.owner.query(`create table audit_records_2020_01 partition of audit_records
    for values from ('2020-01-01 00:00:00+00') to ('2020-02-01 00:00:00+00')`);
  await node.database.owner.query(
    `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome)
      values ($1, '2020-01-15', 'token', 'old', 'read', 'success')`,
    [tenant.id],
  );
  await sealVault(vault);
  const log = { node: node.name, database: node.database.open() };
  const retention = { monthsKept: 13, signer: signerOf(vault.server) };
  await dropOldMonths(log, retention);
  await sealVault(vault);
  await dropOldMonths(log, retention);
  const { rows } = await node.database.owner.query(`select to_regclass('audit_records_2020_01') as kept`);
  expect(rows).toEqual([{ kept: null }]);
  const { rowCount } = await node.database.owner.query(
    `select from audit_records where tenant_id = $1 and entity_type = 'log' and entity_id = $2 and operation = 'delete'`,
    [tenant.id, month],
  );
  expect(rowCount).toBe(1);
  const verdict = await withLog(vault.config, (log) => verifyDatabase(log, tenant.id, { onProgress: () => undefined }));
  expect(verdict.findings).toEqual([]);
});

it('does not take records for dropped that somebody has deleted on a node, whatever the log there says', async () => {
  const [node] = vault.nodes;
  if (node === undefined) throw new Error('There are no nodes.');
  const { owner } = node.database;
  // Retention could have dropped it: that is no reason to believe who says so.
  await owner.query(`create table audit_records_2021_01 partition of audit_records
    for values from ('2021-01-01 00:00:00+00') to ('2021-02-01 00:00:00+00')`);
  const own = await vault.makeTenant();
  for (const id of ['kept', 'deleted']) {
    await owner.query(
      `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome)
        values ($1, '2021-01-15', 'token', $2, 'read', 'success')`,
      [own.id, id],
    );
    await sealVault(vault);
  }
  await owner.query('alter table audit_records_2021_01 rename to audit_records_old');
  await owner.query(`delete from audit_records where tenant_id = $1 and entity_id = 'deleted'`, [own.id]);
  await owner.query(
    `insert into audit_records (tenant_id, entity_type, entity_id, operation, outcome, actor_type)
      values ($1, 'log', '2021-01', 'delete', 'success', 'system')`,
    [own.id],
  );
  await sealVault(vault);
  const verdict = await withLog(vault.config, (log) => verifyDatabase(log, own.id, { onProgress: () => undefined }));
  expect(verdict.findings).toMatchObject([{ kind: 'records-missing', node: node.name }]);
});

describe('the purge of a deleted tenant', () => {
  it('removes its rows and what is known of it from every node, and of no other', async () => {
    const [gone, other] = [await vault.makeTenant(), await vault.makeTenant()];
    for (const each of [gone, other])
      await createTokens(each, 10, { metadata: { a: 'b' }, search_indexes: ['{{ data }}'] });
    // A row in a drawer that the node does not hold, as while one is filled.
    const [node, second] = vault.nodes;
    const { rows } = (await second?.database.owner.query<{ row: string }>(
      'select row_to_json(t)::text as row from tokens t where tenant_id = $1 limit 1',
      [gone.id],
    )) ?? { rows: [] };
    await node?.database.owner.query('insert into tokens select * from json_populate_record(null::tokens, $1::json)', [
      rows[0]?.row,
    ]);
    const job = purgeTenantJob(vault.server.core.nodes);
    await expect(job.run({ tenant_id: gone.id })).rejects.toThrow('still exists');
    expect((await vault.request('DELETE', '/tenants/self', { key: gone.keys.management })).status).toBe(204);
    await job.run({ tenant_id: gone.id });
    for (const table of ['tokens', 'token_terms', 'token_counts', 'token_totals', 'tenant_keys', 'applications'])
      expect(await countOnNodes(table, gone.id)).toEqual([0, 0]);
    expect(await countOnNodes('tenants', gone.id, 'id')).toEqual([0, 0]);
    expect((await countOnNodes('tokens', other.id)).reduce((sum, count) => sum + count)).toBe(10);
    expect((await countOnNodes('audit_records', gone.id)).every((count) => count > 0)).toBe(true);
  });
});

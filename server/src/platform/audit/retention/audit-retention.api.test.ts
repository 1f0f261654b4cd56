import { afterAll, beforeAll, expect, it } from 'vitest';
import { sealAll, signerOf } from '../../../../test/harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { verifyDatabase } from '../verify/log-verification.ts';
import { dropOldMonths } from './audit-retention-job.ts';
import { isProven, proveInclusion } from '../verify/inclusion-proof.ts';
import { LogReader } from '../verify/log-reader.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  // This simulates a vault that has run for twenty months, with each partition sealed in its own month.
  await vault.database.owner.query(
    `do $$ begin
      for back in reverse 20 .. 1 loop
        execute format('create table audit_records_%s partition of audit_records for values from (%L) to (%L)',
          to_char(date_trunc('month', now() at time zone 'UTC') - make_interval(months => back), 'YYYY_MM'),
          (date_trunc('month', now() at time zone 'UTC') - make_interval(months => back)) at time zone 'UTC',
          (date_trunc('month', now() at time zone 'UTC') - make_interval(months => back - 1)) at time zone 'UTC');
      end loop;
    end $$`,
  );
  for (let back = 20; back >= 0; back -= 1) {
    await vault.database.owner.query(
      `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome)
        select $1, date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' - make_interval(months => $2) + make_interval(mins => n),
          'token', 'token-' || n, 'read', 'success' from generate_series(1, 30) n`,
      [tenant.id, back],
    );
    await seal();
  }
});
afterAll(() => vault.stop());

const seal = () => sealAll(vault.database, signerOf(vault.server));
const dropKeeping = (monthsKept: number) =>
  dropOldMonths(vault.database.open(), { monthsKept, signer: signerOf(vault.server) });
const log = () => ({ reader: new LogReader(vault.database.open()), publicKey: signerOf(vault.server).publicKey });
const verify = () => verifyDatabase(log(), tenant.id, { onProgress: () => undefined });
async function months(): Promise<number> {
  const { rows } = await vault.database.owner.query(
    `select from pg_inherits where inhparent = 'audit_records'::regclass`,
  );
  return rows.length;
}

it('drops what the policy no longer keeps, records that, and the rest still verifies and can be proven', async () => {
  expect((await verify()).findings).toEqual([]);
  const before = await months();
  await dropKeeping(13);
  // A removal that is not sealed yet is not covered by any signature, so the month is not dropped before the next run.
  expect(await months()).toBe(before);
  await seal();
  await dropKeeping(13);
  expect(await months()).toBe(before - 7);

  const verdict = await verify();
  expect(verdict.findings).toEqual([]);
  expect(verdict.tenants).toMatchObject([{ dropped: 7 * 30 }]);
  const { rows: removals } = await vault.database.owner.query(
    `select entity_id, actor_type from audit_records where entity_type = 'log' and operation = 'delete'`,
  );
  expect(removals).toHaveLength(7);

  const { rows: counted } = await vault.database.owner.query<{ counted: string; facets: string; real: string }>(
    `select (select sum(records) from audit_counts where grain = 'day') as counted,
      (select sum(records) from audit_facets where grain = 'day' and field = 'operation') as facets,
      (select count(*) from audit_records) as real`,
  );
  expect(counted[0]?.counted).toBe(counted[0]?.real);
  expect(counted[0]?.facets).toBe(counted[0]?.real);

  const { rows } = await vault.database.owner.query<{ id: string }>(
    `select id from audit_records where tenant_id = $1 order by created_at limit 1`,
    [tenant.id],
  );
  const proof = await proveInclusion(log().reader, tenant.id, rows[0]?.id ?? '');
  expect(isProven(proof, log().publicKey)).toBe(true);
});

it('does the same again without a trace', async () => {
  const before = await vault.auditRecords(tenant.id);
  await dropKeeping(13);
  expect(await vault.auditRecords(tenant.id)).toEqual(before);
});

it('keeps a month with a record that is not sealed yet', async () => {
  const before = await months();
  await vault.database.owner.query(
    `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome)
      values ($1, date_trunc('month', now()) - interval '13 months' + interval '1 day', 'token', 'late', 'read', 'success')`,
    [tenant.id],
  );
  await dropKeeping(12);
  expect(await months()).toBe(before);
  await seal();
  await dropKeeping(12);
  await seal();
  await dropKeeping(12);
  expect(await months()).toBe(before - 1);
  await seal();
  expect((await verify()).findings).toEqual([]);
});

it('shows a month that somebody dropped by hand', async () => {
  const month = new Date();
  month.setUTCDate(1);
  month.setUTCMonth(month.getUTCMonth() - 12);
  const name = `audit_records_${month.toISOString().slice(0, 7).replace('-', '_')}`;
  await vault.database.owner.query(`drop table ${name}`);
  expect((await verify()).findings).toMatchObject([{ kind: 'month-removed' }]);
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QueryPlan } from '../../../../test/harness/query-plan.ts';
import { sealAll, signerOf } from '../../../../test/harness/sealed-log.ts';
import { StatementTap } from '../../../../test/harness/statement-tap.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { fillVariedLog, variedValues } from '../../../../test/harness/varied-log.ts';

let vault: TestVault;
let tenant: TestTenant;
let tap: StatementTap;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  await fillVariedLog(vault.database, { tenantId: tenant.id, count: 20_000, days: 10 });
  await sealAll(vault.database, signerOf(vault.server));
  await vault.database.owner.query('analyze');
  tap = new StatementTap();
}, 180_000);
afterAll(async () => {
  tap.close();
  await vault.stop();
});

/** Returns the query plans of all statements for a page with these filters. */
async function plansOf(query: Readonly<Record<string, string>>): Promise<QueryPlan[]> {
  const path = `/logs?${new URLSearchParams(query).toString()}`;
  const sent = await tap.during(async () => {
    const response = await vault.request('GET', path, { key: tenant.keys.management });
    expect(response.status).toBe(200);
  }, 'audit_');
  const reads = sent.filter(
    ({ text }) => /\bfrom (audit_records|audit_facets|unnest)/.test(text) && !/insert/.test(text),
  );
  return Promise.all(reads.map((statement) => QueryPlan.explain(vault.database, tenant.id, statement)));
}

const { entity_type: _kinds, entity_id: _entities, request_id: _requests, ...facets } = variedValues;

describe('with 20,000 records, no filter reads the log from end to end', () => {
  const single = Object.entries(facets).map(([name, values]) => [name, { [name]: values[0] }] as const);
  it.each<readonly [string, Readonly<Record<string, string>>]>([
    ...single,
    ['a filter and a kind', { key_id: facets.key_id[0], entity_type: 'card' }],
    ['a filter and a time', { key_id: facets.key_id[0], start_date: new Date(Date.now() - 3e8).toISOString() }],
    ['two filters', { key_id: facets.key_id[0], outcome: 'denied' }],
    ['three filters', { actor_id: facets.actor_id[0], transform: 'mask', destination: 'pay.example.com' }],
  ])('%s', async (_name, query) => {
    const plans = await plansOf(query);
    // The partitions of future months are empty, so PostgreSQL scans them.
    const month = `audit_records_${new Date().toISOString().slice(0, 7).replace('-', '_')}`;
    const scanned = plans.flatMap(({ scannedTables }) => scannedTables);
    expect(scanned.filter((table) => table === 'audit_facets' || table === month)).toEqual([]);
    const indexes = plans.flatMap((plan) => plan.indexes);
    expect(indexes).toContain('audit_facets_pkey');
    expect(indexes.some((index) => /^audit_records_.*_pkey/.test(index) || /_created_at_id_/.test(index))).toBe(true);
  });

  it('two filters behind a cursor, of which no minute is read from the cursor on', async () => {
    const start = `${Date.now() - 86_400_000}.${crypto.randomUUID()}`;
    const plans = await plansOf({ key_id: facets.key_id[0], outcome: 'denied', start });
    const ofMinutes = plans.filter(({ indexConditions }) =>
      indexConditions.some((one) => one.includes('minute.since')),
    );
    expect(ofMinutes.length).toBeGreaterThan(0);
    for (const { indexConditions } of ofMinutes) expect(indexConditions.join(' ')).not.toContain('ROW(');
  });

  it('a request', async () => {
    const plans = await plansOf({ request_id: 'request-5' });
    const indexes = plans.flatMap((plan) => plan.indexes);
    expect(indexes.some((index) => index.includes('_tenant_id_request_id_created_at_idx'))).toBe(true);
  });
});

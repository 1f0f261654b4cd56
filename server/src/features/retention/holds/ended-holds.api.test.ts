import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createToken } from '../../../../test/harness/aged-tokens.ts';
import { QueryPlan } from '../../../../test/harness/query-plan.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { parseTenantId } from '../../../core/identity/ids.ts';
import { isHeld } from '../../tokens/index.ts';
import { endedHoldDays } from './legal-hold.ts';
import { sweepHoldsJob } from './sweep-holds-job.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const owner = () => vault.database.owner;
const manage = (method: string, path: string, body?: object) =>
  vault.request(method, path, { key: tenant.keys.management, ...(body === undefined ? {} : { body }) });

/** Sets a hold that was lifted or has ended so many days ago. A hold in force has neither. */
async function hold(over: { readonly lifted?: number; readonly ended?: number } = {}): Promise<string> {
  const { rows } = await owner().query<{ id: string }>(
    `insert into legal_holds (tenant_id, id, reason, lifted_at, ends_at)
      values ($1, gen_random_uuid(), 'Dispute', now() - make_interval(days => $2), now() - make_interval(days => $3)) returning id`,
    [tenant.id, over.lifted ?? null, over.ended ?? null],
  );
  return rows[0]?.id ?? '';
}

describe('legal holds that are over', () => {
  it('are not read by statements that ask whether a token is held', async () => {
    const id = await createToken(vault, tenant, { type: 'token', data: 'x' });
    await hold();
    await owner().query(
      `insert into legal_holds (tenant_id, id, reason, lifted_at, ends_at)
        select $1, gen_random_uuid(), 'Dispute', case when n % 2 = 0 then now() end, now() - interval '1 hour'
        from generate_series(1, 5000) n`,
      [tenant.id],
    );
    await owner().query('analyze legal_holds');
    const text = `delete from tokens t where t.tenant_id = $1 and t.id = $2 and not ${isHeld('t')}`;
    const plan = await QueryPlan.explain(vault.database, tenant.id, { text, values: [tenant.id, id] });
    expect(plan.scannedTables).not.toContain('legal_holds');
    expect(plan.indexes).toContain('legal_holds_in_force');
    expect(plan.indexConditions.join()).toMatch(/CASE WHEN \(ends_at IS NULL\).*> now\(\)/);
    const removed = await vault.request('DELETE', `/tokens/${id}`, { key: tenant.keys.private });
    expect(removed.status).toBe(409);
  });

  it('are removed a year later, unless a request for approval names them, and the log keeps their records', async () => {
    const late = endedHoldDays + 1;
    const early = endedHoldDays - 1;
    const kept = [await hold(), await hold({ ended: -1 }), await hold({ ended: early }), await hold({ lifted: early })];
    const gone = [await hold({ ended: late }), await hold({ lifted: late }), await hold({ lifted: late, ended: -100 })];
    const named = await hold({ lifted: late });
    await owner().query(
      `insert into approval_requests (tenant_id, id, kind, subject_id, change, basis, requested_by, approvals_needed, expires_at)
        values ($1, gen_random_uuid(), 'legal_hold', $2, '{}', '', gen_random_uuid(), 1, now())`,
      [tenant.id, named],
    );
    const [first] = gone;
    expect((await manage('GET', `/legal-holds/${first}`)).status).toBe(200);
    const job = sweepHoldsJob(vault.server.core.database);
    for (let run = 0; run < 2; run += 1) await job.run(undefined);
    const { rows } = await owner().query<{ id: string }>('select id from legal_holds where tenant_id = $1', [
      tenant.id,
    ]);
    expect(rows.map(({ id }) => id).toSorted()).toEqual([...kept, named].toSorted());
    expect((await manage('GET', `/legal-holds/${first}`)).status).toBe(404);
    const records = (await vault.auditRecords(tenant.id)).filter(({ entity_type: type }) => type === 'legal_hold');
    const expired = records.filter(({ operation }) => operation === 'expire');
    expect(expired.map(({ entity_id: id }) => String(id)).toSorted()).toEqual(gone.toSorted());
    expect(expired[0]).toMatchObject({ actor_type: 'system', outcome: 'success' });
    expect(records.some(({ operation, entity_id: id }) => operation === 'read' && id === first)).toBe(true);
  });

  it('are the only ones that a server can remove', async () => {
    const [inForce, ended, over] = [await hold(), await hold({ ended: -1 }), await hold({ ended: 1 })];
    const removed = await vault.server.core.database.forTenant(parseTenantId(tenant.id), (tx) =>
      tx.query<{ id: string }>({
        text: 'delete from legal_holds where id = any($1) returning id',
        values: [[inForce, ended, over]],
      }),
    );
    expect(removed.map(({ id }) => id)).toEqual([over]);
  });
});

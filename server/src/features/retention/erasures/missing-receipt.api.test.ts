import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createToken, listStored } from '../../../../test/harness/aged-tokens.ts';
import { TestErasures } from '../../../../test/harness/erasures.ts';
import { fillLog, sealAll, signerOf } from '../../../../test/harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { receiptTriedDays } from './missing-receipt.ts';
import { checkReceipt } from './receipt-check.ts';

let vault: TestVault;
let tenant: TestTenant;
let erasures: TestErasures;
beforeAll(async () => {
  vault = await TestVault.start();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
  erasures = new TestErasures(vault, tenant);
});
afterAll(() => vault.stop());

const owner = () => vault.database.owner;
const publicKey = () => signerOf(vault.server).publicKey;
const seal = () => sealAll(vault.database, signerOf(vault.server));
const lastMonth = `date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' - interval '1 month'`;

/** Removes a token, and leaves the erasure waiting for the log. */
async function removeOne(): Promise<{ readonly id: string; readonly tokenId: string }> {
  const tokenId = await createToken(vault, tenant, { type: 'token', data: 'x', containers: ['/a/'] });
  const { id } = await erasures.begin({ container: '/a/' });
  while ((await erasures.step(id)) === 'more');
  expect(await erasures.get(id)).toMatchObject({ status: 'sealing', removed_tokens: 1 });
  return { id, tokenId };
}

/** Seals the log as of the last month, and drops that month. */
async function dropLog(): Promise<void> {
  await owner().query(
    `do $$ begin
      execute format('create table audit_records_last partition of audit_records for values from (%L) to (%L)',
        ${lastMonth}, ${lastMonth} + interval '1 month');
    end $$`,
  );
  await owner().query(`update audit_records set created_at = ${lastMonth} + interval '1 day' where tenant_id = $1`, [
    tenant.id,
  ]);
  await seal();
  await owner().query('drop table audit_records_last');
}

const letTimePass = (id: string) =>
  owner().query('update erasures set sealing_at = now() - make_interval(days => $2) where id = $1', [
    id,
    receiptTriedDays + 1,
  ]);
/** Expects that the erasure is over without a receipt, that what it removed stays counted, and that all say why. */
async function expectNoReceipt(id: string, reason: string): Promise<void> {
  expect(await erasures.get(id)).toMatchObject({
    status: 'stopped',
    removed_tokens: 1,
    reason: expect.stringContaining(reason) as string,
  });
  const answer = await erasures.ask('GET', `/${id}/receipt`);
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(reason)]);
  const runs = (await vault.auditRecords(tenant.id)).filter(
    ({ entity_id: about, operation }) => about === id && operation === 'run',
  );
  expect(runs.at(-1)).toMatchObject({ outcome: 'failed', actor_type: 'system' });
  expect(await erasures.step(id)).toBe('over');
}

describe('an erasure that removes nothing', () => {
  it('has a receipt although months of the log were dropped', async () => {
    // The largest subtree of the log is in what is dropped.
    await fillLog(vault.database, { tenantId: tenant.id, count: 200 });
    await dropLog();
    const { id } = await erasures.begin({ container: '/empty/' });
    await erasures.run();
    expect((await checkReceipt(await erasures.receipt(id), publicKey())).head).toMatchObject({ tokens: 0 });
  });
});

describe('an erasure whose log cannot prove it', () => {
  it('ends at once if its records have left the database, and says how many', async () => {
    const { id, tokenId } = await removeOne();
    await dropLog();
    expect(await erasures.step(id)).toBe('over');
    expect(await listStored(vault, [tokenId])).toEqual([]);
    await expectNoReceipt(id, 'the records of 1 removal of 1 are in months of the log that are no longer');
  });

  it('waits for a log that is not sealed, and ends after a week', async () => {
    const { id } = await removeOne();
    expect(await erasures.step(id)).toBe('waiting');
    await letTimePass(id);
    expect(await erasures.step(id)).toBe('over');
    await expectNoReceipt(id, `the log was not sealed within ${receiptTriedDays} days`);
  });

  it('fails for everybody to see if the log does not match, and ends after a week', async () => {
    const { id } = await removeOne();
    await seal();
    await owner().query(
      `update audit_records set outcome = 'denied' where tenant_id = $1 and entity_type = 'token' and operation = 'create'`,
      [tenant.id],
    );
    await expect(erasures.step(id)).rejects.toThrow('does not match what was sealed');
    expect(await erasures.get(id)).toMatchObject({ status: 'sealing' });
    await letTimePass(id);
    expect(await erasures.step(id)).toBe('over');
    await expectNoReceipt(id, `the log could not prove it within ${receiptTriedDays} days`);
  });

  it('still gets its receipt after that time if the log has been repaired', async () => {
    const { id } = await removeOne();
    await letTimePass(id);
    await seal();
    expect(await erasures.step(id)).toBe('over');
    expect((await checkReceipt(await erasures.receipt(id), publicKey())).head).toMatchObject({ tokens: 1 });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LogReader } from '../../src/platform/audit/verify/log-reader.ts';
import { verifyDatabase } from '../../src/platform/audit/verify/log-verification.ts';
import { Sealer } from '../../src/platform/audit/seal/sealer.ts';
import { sealAll, signerOf, untilSealable } from '../harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * An attacker who can write to the database can keep records from being sealed and change them later.
 * Verification must find this.
 */
let vault: TestVault;
beforeAll(async () => {
  vault = await TestVault.start();
});
afterAll(() => vault.stop());

const owner = () => vault.database.owner;
const verify = () => {
  const log = { reader: new LogReader(vault.database.open()), publicKey: signerOf(vault.server).publicKey };
  return verifyDatabase(log, undefined, { onProgress: () => undefined });
};
const write = (tenant: TestTenant) =>
  vault.request('POST', '/tokens', { key: tenant.keys.private, body: { type: 'token', data: 'x' } });

describe('verification', () => {
  it.each([
    ['whose checkpoints are sound', true],
    ['that has none yet', false],
  ])('finds a stop that was forged for a tenant %s', async (_name, isSealed) => {
    const tenant = await vault.makeTenant();
    if (isSealed) await sealAll(vault.database, signerOf(vault.server));
    await owner().query(
      `insert into audit_seal_stops (tenant_id, order_from, reason) values ($1, $2, 'A worker is running.')`,
      [tenant.id, '-9223372036854775808'],
    );
    await write(tenant);
    await untilSealable(vault.database);
    const pass = await new Sealer({ database: vault.database.open(), signer: signerOf(vault.server) }).seal();
    expect(pass.stoppedCount).toBe(1);
    const { findings, waiting } = await verify();
    expect(findings).toMatchObject([{ kind: 'sealing-stopped', tenantId: tenant.id }]);
    expect(waiting[0]?.message).not.toContain('A worker is running.');
    await owner().query('delete from audit_seal_stops');
    await owner().query('delete from audit_records where tenant_id = $1', [tenant.id]);
    await owner().query('delete from audit_checkpoints where tenant_id = $1', [tenant.id]);
  });

  it('fails where the place of the sealer is gone, instead of finding nothing unsealed', async () => {
    const { rows } = await owner().query<{ sealed_to: string }>('delete from audit_sealing returning sealed_to');
    await expect(verify()).rejects.toThrow('audit_sealing has lost its row');
    await owner().query('insert into audit_sealing (sealed_to) values ($1)', [rows[0]?.sealed_to]);
  });
});

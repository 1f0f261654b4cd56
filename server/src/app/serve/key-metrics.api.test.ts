import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestAuthority } from '../../../test/harness/test-authority.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { WatchedRootKey } from '../../../test/harness/watched-root-key.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import { rotateDataKey, rotateRootKeys } from '../../features/keys/index.ts';
import { RootKeys } from '../../platform/keyring/kms/root-keys.ts';
import { Metrics } from '../../platform/telemetry/metrics.ts';
import { addCertificateMetrics, addKeyAgeMetrics } from './key-metrics.ts';

const daySeconds = 24 * 3_600;

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  await vault.makeTenant();
  const { owner } = vault.database;
  await owner.query(`update system_keys set created_at = now() - interval '90 days'`);
  await owner.query(
    `update tenant_keys set created_at = now() - case when tenant_id = $1 then interval '60 days' else interval '10 days' end`,
    [tenant.id],
  );
  await owner.query(`update application_keys set created_at = now() - interval '30 days' where tenant_id = $1`, [
    tenant.id,
  ]);
});
afterAll(() => vault.stop());

/** Returns the ages in whole days, as read by a worker that has just started. */
async function readAges(): Promise<Record<string, number>> {
  const metrics = new Metrics();
  addKeyAgeMetrics(metrics, vault.server.core.database);
  const lines = (await metrics.render()).matchAll(/^strongroom_key_age_seconds\{key="(\w+)"\} (\S+)$/gm);
  return Object.fromEntries([...lines].map(([, key = '', age = '']) => [key, Math.floor(Number(age) / daySeconds)]));
}

describe('ages of keys', () => {
  it('are those of the oldest in use', async () => {
    expect(await readAges()).toEqual({ root: 90, data: 60, api: 30 });
  });

  it('leave out keys of expired applications', async () => {
    await vault.database.owner.query('update applications set expires_at = now() where tenant_id = $1', [tenant.id]);
    expect(await readAges()).toMatchObject({ api: 0 });
  });

  it('begin again with a new data key of the tenant whose key was oldest', async () => {
    await rotateDataKey(vault.server.core, parseTenantId(tenant.id));
    expect(await readAges()).toMatchObject({ root: 90, data: 10 });
  });

  it('begin again with a new root key, and not when a rotation is repeated', async () => {
    const { database, rootKeys } = vault.server.core;
    const rotation = { database, rootKeys: new RootKeys(new WatchedRootKey(), [rootKeys.primary]) };
    await rotateRootKeys(rotation, () => undefined);
    expect(await readAges()).toMatchObject({ root: 0, data: 10 });
    await vault.database.owner.query(`update system_keys set wrapped_at = now() - interval '5 days'`);
    await rotateRootKeys(rotation, () => undefined);
    expect(await readAges()).toMatchObject({ root: 5 });
  });
});

describe('certificates in the settings', () => {
  it('are those that expire first, by what they are for', async () => {
    const authority = await TestAuthority.create();
    const { cert, key } = await authority.issue(['client.example'], { purpose: 'clientAuth' });
    const metrics = new Metrics();
    const client = { tenantId: parseTenantId(tenant.id), host: 'a.example', pem: new Sensitive(`${cert}\n${key}`) };
    addCertificateMetrics(metrics, {
      outbound: { ...vault.outbound, clientCertificates: [client], authorities: authority.certificate },
      rootKeys: vault.config.rootKeys,
    });
    const lines = [
      ...(await metrics.render()).matchAll(
        /^strongroom_certificate_expiry_timestamp_seconds\{use="([\w-]+)"\} (\S+)$/gm,
      ),
    ].map(([, use, expiry]) => [use, (Number(expiry) - Date.now() / 1_000) / daySeconds] as const);
    expect(lines.map(([use]) => use)).toEqual(['proxy-client', 'proxy-authority']);
    for (const [, days] of lines) {
      expect(days).toBeGreaterThan(0);
      expect(days).toBeLessThan(3);
    }
    await authority.remove();
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import { sealedClientKeys } from '../client-keys/index.ts';
import { sealedResponses } from '../idempotency/index.ts';
import { sealedStoredProxies } from '../stored-proxies/index.ts';
import { sealedWebhooks } from '../webhooks/index.ts';
import { sealedTokenIntents, sealedTokens } from '../tokens/index.ts';
import { rotateDataKey } from './data-rotation.ts';
import { KeyRetirement } from './key-retirement.ts';
import { Reencryption } from './reencryption.ts';

interface Keys {
  readonly root_key: { readonly id: string; readonly provider: string };
  readonly data_keys: readonly Readonly<Record<string, unknown>>[];
  readonly reencryption?: Readonly<Record<string, unknown>>;
}

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
});
afterAll(() => vault.stop());
beforeEach(async () => {
  tenant = await vault.makeTenant();
});

const path = '/tenants/self/encryption-keys';
const tables = [
  sealedTokens,
  sealedTokenIntents,
  sealedResponses,
  sealedClientKeys,
  sealedStoredProxies,
  sealedWebhooks,
];
const core = () => vault.server.core;

async function read(): Promise<Keys> {
  const { status, body } = await vault.request('GET', path, { key: tenant.keys.management });
  expect(status).toBe(200);
  return body as Keys;
}

function reencrypt(onProgress: (read: number) => void = () => undefined) {
  const { database, keyring } = core();
  const run = new Reencryption({ database, keyring, tables, settleMs: 0 });
  return run.run(parseTenantId(tenant.id), { rowsPerSecond: 1_000_000, onProgress });
}

describe('the encryption keys of a tenant', () => {
  it('are listed with the root key that wraps them, and without a key', async () => {
    const rootKey = core().rootKeys.primary.id;
    const keys = await read();
    expect(keys).toEqual({
      root_key: { id: rootKey, provider: 'file' },
      data_keys: [{ version: 1, status: 'open', is_current: true, root_key: rootKey, created_at: expect.any(String) }],
    });
    const { rows } = await vault.database.owner.query<{ wrapped: Buffer }>('select wrapped from tenant_keys');
    const text = JSON.stringify(keys);
    for (const { wrapped } of rows)
      for (const encoding of ['hex', 'base64'] as const) expect(text).not.toContain(wrapped.toString(encoding));
  });

  it('show what is closed, how far re-encryption has come, and what is gone', async () => {
    const body = Array.from({ length: 3 }, (_, index) => ({ type: 'token', data: `value ${index}` }));
    await vault.request('POST', '/tokenize', { key: tenant.keys.private, body });
    await rotateDataKey(core(), parseTenantId(tenant.id));
    const rotated = await read();
    expect(rotated.data_keys).toMatchObject([
      { version: 2, status: 'open', is_current: true },
      { version: 1, status: 'open', is_current: false },
    ]);
    expect(rotated).not.toHaveProperty('reencryption');

    // This run stops after the first page.
    const stop = reencrypt((rows) => {
      if (rows > 0) throw new Error('stopped');
    });
    await expect(stop).rejects.toThrow('stopped');
    const stopped = await read();
    expect(stopped.data_keys[1]).toMatchObject({ version: 1, status: 'closed', closed_at: expect.any(String) });
    expect(stopped.reencryption).toEqual({
      target_version: 2,
      started_at: expect.any(String),
      rows_expected: 3,
      rows_read: 3,
      rows_changed: 3,
      rows_unreadable: 0,
    });

    await reencrypt();
    expect((await read()).reencryption).toMatchObject({ target_version: 2, finished_at: expect.any(String) });
    const retirement = new KeyRetirement({ database: core().database, tables, closedForMinMs: 0 });
    await retirement.run(parseTenantId(tenant.id), () => undefined);
    expect((await read()).data_keys).toMatchObject([{ version: 2, is_current: true }]);
  });

  it('are those of the own tenant, and seeing them is recorded', async () => {
    const other = await vault.makeTenant();
    await rotateDataKey(core(), parseTenantId(other.id));
    expect((await read()).data_keys).toHaveLength(1);
    expect((await vault.auditRecords(tenant.id)).at(-1)).toMatchObject({
      entity_type: 'tenant',
      entity_id: tenant.id,
      operation: 'read',
      outcome: 'success',
    });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillLog, sealAll, signerOf } from '../../../../test/harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { isGenuine, parseCheckpointJson } from '../../../platform/audit/seal/checkpoint.ts';

interface Seal {
  readonly checkpoint?: { readonly number: number; readonly tree_size: number };
  readonly waiting: { readonly records: number; readonly is_exact: boolean; readonly oldest_at?: string };
  readonly worker: { readonly is_running: boolean; readonly looked_at?: string };
  readonly stop?: { readonly stopped_at: string; readonly reason: string };
  readonly public_keys: readonly { readonly version: number; readonly public_key: string }[];
}

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const owner = () => vault.database.owner;
const seal = () => sealAll(vault.database, signerOf(vault.server));

async function read(of = tenant): Promise<Seal> {
  const { status, body } = await vault.request('GET', '/logs/seal', { key: of.keys.management });
  expect(status).toBe(200);
  return body as Seal;
}

describe('the state of sealing', () => {
  it('names what waits, from the oldest on, before anything is sealed', async () => {
    const { rows } = await owner().query<{ count: number; oldest: Date }>(
      'select count(*)::int as count, min(created_at) as oldest from audit_records where tenant_id = $1',
      [tenant.id],
    );
    const found = await read();
    expect(found).not.toHaveProperty('checkpoint');
    expect(found).not.toHaveProperty('stop');
    expect(found.waiting).toEqual({
      records: rows[0]?.count,
      is_exact: true,
      oldest_at: rows[0]?.oldest.toISOString(),
    });
    expect(found.worker).toEqual({ is_running: false });
  });

  it('has the newest checkpoint, which its key vouches for', async () => {
    await seal();
    const found = await read();
    expect(found.waiting).toEqual({ records: 0, is_exact: true });
    expect(found.worker).toEqual({ is_running: true, looked_at: expect.any(String) });
    const checkpoint = parseCheckpointJson(found.checkpoint);
    const [key] = found.public_keys;
    if (checkpoint === undefined || key === undefined) throw new Error('Something is missing.');
    expect(checkpoint.keyVersion).toBe(key.version);
    expect(isGenuine(checkpoint, Buffer.from(key.public_key, 'base64'))).toBe(true);
    // The read itself adds a record.
    expect((await read()).waiting.records).toBe(1);
  });

  it('is that of the own tenant', async () => {
    const other = await vault.makeTenant();
    await seal();
    const before = await read(other);
    await fillLog(vault.database, { tenantId: tenant.id, count: 300 });
    expect((await read()).waiting.records).toBeGreaterThanOrEqual(300);
    const after = await read(other);
    expect(after.waiting.records).toBe(1);
    expect(after.checkpoint).toEqual(before.checkpoint);
  });

  it('counts up to a limit', async () => {
    await fillLog(vault.database, { tenantId: tenant.id, count: 10_500, perTransaction: 500 });
    expect((await read()).waiting).toMatchObject({ records: 10_000, is_exact: false });
    await seal();
    expect((await read()).waiting).toEqual({ records: 0, is_exact: true });
  });

  it('finds what waits behind a gap in the numbers of transactions', async () => {
    await seal();
    await owner().query(`select setval('audit_epochs', last_value + 1) from audit_epochs`);
    await vault.request('GET', '/logs', { key: tenant.keys.management });
    const { waiting } = await read();
    expect(waiting).toMatchObject({ is_exact: true });
    expect(waiting.records).toBeGreaterThan(0);
    await seal();
  });

  it('says when no worker has looked for a while', async () => {
    await owner().query(`update audit_sealing set looked_at = now() - interval '31 seconds'`);
    expect((await read()).worker).toEqual({ is_running: false, looked_at: expect.any(String) });
  });

  it('says why nothing is sealed on top of a damaged checkpoint, to the tenant that it is about', async () => {
    const other = await vault.makeTenant();
    await seal();
    await owner().query(
      `update audit_checkpoints set signature = set_byte(signature, 5, get_byte(signature, 5) # 255) where tenant_id = $1
        and number = (select max(number) from audit_checkpoints where tenant_id = $1)`,
      [tenant.id],
    );
    await vault.request('GET', '/logs', { key: tenant.keys.management });
    await seal();
    await vault.request('GET', '/logs', { key: tenant.keys.management });
    const found = await read();
    expect(found.stop).toEqual({
      stopped_at: expect.any(String),
      reason: expect.stringContaining('not what was signed'),
    });
    expect(found.waiting.records).toBeGreaterThanOrEqual(2);
    expect(await read(other)).not.toHaveProperty('stop');
  });
});

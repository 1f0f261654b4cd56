import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealAll, signerOf } from '../../../../test/harness/sealed-log.ts';
import { uuidV4 } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { isProven, parseProofJson } from '../../../platform/audit/verify/inclusion-proof.ts';

interface Shown {
  readonly id: string;
  readonly created_at: string;
}

let vault: TestVault;
let tenant: TestTenant;
let records: Shown[];
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  for (let count = 0; count < 30; count += 1)
    await vault.request('POST', '/tokens', { key: tenant.keys.private, body: { type: 'token', data: count } });
  await sealAll(vault.database, signerOf(vault.server));
  records = (await list(tenant)).slice(1);
});
afterAll(() => vault.stop());

async function list({ keys }: TestTenant): Promise<Shown[]> {
  const { body } = await vault.request('GET', '/logs?size=100', { key: keys.management });
  return (body as { data: Shown[] }).data;
}
const prove = (key: string, { id, created_at: createdAt }: Shown) =>
  vault.request('GET', `/logs/${id}/proof?created_at=${encodeURIComponent(createdAt)}`, { key });

describe('GET /logs/{id}/proof', () => {
  it('200 proves every sealed record, with what `audit check` accepts', async () => {
    const { publicKey } = signerOf(vault.server);
    expect(records.length).toBeGreaterThan(30);
    for (const record of records) {
      const { status, body } = await prove(tenant.keys.management, record);
      const proof = parseProofJson(body);
      expect(status).toBe(200);
      expect(body).toMatchObject({ record: { id: record.id }, public_key: publicKey.toString('base64') });
      expect(proof !== undefined && isProven(proof, publicKey)).toBe(true);
    }
  });

  it('409 for a record that is not sealed yet', async () => {
    const [newest = { id: '', created_at: '' }] = await list(tenant);
    expect(newest.id).toMatch(uuidV4);
    const { status, body } = await prove(tenant.keys.management, newest);
    expect({ status, body }).toMatchObject({ status: 409, body: { type: '/docs/errors/record-not-sealed' } });
  });

  it('404 for what another tenant has, for another time, and for what is no id', async () => {
    const [record = { id: '', created_at: '' }] = records;
    const other = await vault.makeTenant();
    expect((await prove(other.keys.management, record)).status).toBe(404);
    const later = { ...record, created_at: new Date(Date.parse(record.created_at) + 1).toISOString() };
    expect((await prove(tenant.keys.management, later)).status).toBe(404);
    expect((await prove(tenant.keys.management, { ...record, id: 'x' })).status).toBe(404);
  });

  it.each(['9999-12-31T23:59:59.999-14:00', '0001-01-01T00:00:00+14:00'])(
    '404 for a time that four digits do not reach: %s',
    async (createdAt) => {
      const [record = { id: '', created_at: '' }] = records;
      expect((await prove(tenant.keys.management, { ...record, created_at: createdAt })).status).toBe(404);
    },
  );

  it('400 without the time, and 403 without log:read', async () => {
    const [record = { id: '', created_at: '' }] = records;
    const untimed = await vault.request('GET', `/logs/${record.id}/proof`, { key: tenant.keys.management });
    expect(untimed.status).toBe(400);
    expect((await prove(tenant.keys.private, record)).status).toBe(403);
  });
});

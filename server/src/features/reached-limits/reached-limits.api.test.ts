import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { welcome } from '../../../test/harness/portal-people.ts';
import type { PortalVisitor } from '../../../test/harness/portal-visitor.ts';
import { sealAll, signerOf } from '../../../test/harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { withLimits } from '../../platform/rate-limit/rate-limit-table.ts';

let vault: TestVault;
let tenant: TestTenant;
let visitor: PortalVisitor;

beforeAll(async () => {
  vault = await TestVault.start(undefined, { limits: { table: withLimits({ 'token-write': 1 }) } });
  tenant = await vault.makeTenant();
  ({ visitor } = await welcome(vault, tenant));
});
afterAll(() => vault.stop());

const create = (key: string) => vault.request('POST', '/tokens', { key, body: { type: 'token', data: 'x' } });
async function listOf(one: PortalVisitor): Promise<unknown[]> {
  const { text } = await one.send('GET', '/portal/api/reached-limits', { 'sec-fetch-site': 'same-origin' });
  return (JSON.parse(text) as { data: unknown[] }).data;
}

describe('GET /portal/api/reached-limits', () => {
  it('says who reached which limit and which setting raises it, to tenants that know the client, and to no others', async () => {
    const stranger = await vault.makeTenant();
    const { visitor: other } = await welcome(vault, stranger);
    await create(tenant.keys.private);
    expect((await create(tenant.keys.private)).status).toBe(429);
    await sealAll(vault.database, signerOf(vault.server));
    expect(await listOf(visitor)).toEqual([
      {
        scope: 'token-write',
        client: '127.0.0.1',
        limit: 1,
        seconds: 10,
        rejections: 1,
        last_at: expect.any(String),
        advice: expect.stringContaining('STRONGROOM_RATE_LIMITS'),
      },
    ]);
    // The stranger's log has no record from this address: those of its members are removed here.
    await vault.database.owner.query('delete from audit_facets where tenant_id = $1', [stranger.id]);
    expect(await listOf(other)).toEqual([]);
  });

  it('is not in the API for keys', async () => {
    expect((await vault.request('GET', '/reached-limits', { key: tenant.keys.management })).status).toBe(404);
  });
});

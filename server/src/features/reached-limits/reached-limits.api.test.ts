import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { welcome } from '../../../test/harness/portal-people.ts';
import type { PortalVisitor } from '../../../test/harness/portal-visitor.ts';
import { sealAll, signerOf } from '../../../test/harness/sealed-log.ts';
import { createApplication } from '../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { examineRejections } from '../../app/doctor/rejection-check.ts';
import { parsePeerRange } from '../../core/network/peer-address.ts';
import { withLimits } from '../../platform/rate-limit/rate-limit-table.ts';

let vault: TestVault;
let tenant: TestTenant;
let visitor: PortalVisitor;

beforeAll(async () => {
  const proxy = parsePeerRange('127.0.0.1');
  const trustedProxies = proxy === undefined ? [] : [proxy];
  const table = withLimits({ 'token-write': 1, 'keyless-proxy': 1 });
  vault = await TestVault.start(undefined, { limits: { table, trustedProxies } });
  tenant = await vault.makeTenant();
  ({ visitor } = await welcome(vault, tenant));
});
afterAll(() => vault.stop());

const create = (key: string, headers: Record<string, string> = {}) =>
  vault.request('POST', '/tokens', { key, headers, body: { type: 'token', data: 'x' } });
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

  it('names the network of an IPv6 address, and shows it only to tenants whose log has an address in it', async () => {
    const [household, stranger] = await Promise.all([vault.makeTenant(), vault.makeTenant()]);
    const [{ visitor: ours }, { visitor: other }] = await Promise.all([
      welcome(vault, household),
      welcome(vault, stranger),
    ]);
    const from = (address: string, key: string) => create(key, { 'x-forwarded-for': address });
    expect((await from('2001:db8:0:7::1', household.keys.private)).status).toBe(201);
    expect((await from('2001:db8:0:8::1', stranger.keys.private)).status).toBe(201);
    // Another address of the same network reaches its limit.
    expect((await from('2001:db8:0:7:ffff::2', household.keys.private)).status).toBe(429);
    await sealAll(vault.database, signerOf(vault.server));
    expect(await listOf(ours)).toContainEqual(
      expect.objectContaining({ scope: 'token-write', client: '2001:db8:0:7::/64', rejections: 1 }),
    );
    expect(JSON.stringify(await listOf(other))).not.toContain('2001:db8');
  });

  it('shows callers of a stored proxy to its tenant, and to no other that knows their address', async () => {
    const [owner, stranger] = await Promise.all([vault.makeTenant(), vault.makeTenant()]);
    const [{ visitor: ours }, { visitor: other }] = await Promise.all([
      welcome(vault, owner),
      welcome(vault, stranger),
    ]);
    const { id: application } = await createApplication(vault, owner, { permissions: ['token:create'] });
    const proxy = await vault.request('POST', '/proxies', {
      key: owner.keys.management,
      body: {
        name: 'Partner',
        destination_url: 'https://api.partner.example/',
        require_auth: false,
        application: { id: application },
      },
    });
    const { id, key } = proxy.body as { id: string; key: string };
    const headers = { 'bt-proxy-key': key, 'x-forwarded-for': '2001:db8:0:9::1' };
    expect((await create(stranger.keys.private, { 'x-forwarded-for': '2001:db8:0:9::1' })).status).toBe(201);
    const call = async () => (await vault.request('GET', '/proxy', { headers })).status;
    await call();
    expect(await call()).toBe(429);
    await sealAll(vault.database, signerOf(vault.server));
    expect(await listOf(ours)).toContainEqual(
      expect.objectContaining({ scope: 'keyless-proxy', client: '2001:db8:0:9::/64', limit: 1, rejections: 1 }),
    );
    expect(JSON.stringify(await listOf(other))).not.toContain('keyless-proxy');
    const address = new URL(vault.server.adminUrl);
    expect(await examineRejections({ host: address.hostname, port: Number(address.port) })).toMatchObject({
      detail: expect.stringContaining(`2001:db8:0:9::/64 reached keyless-proxy of ${id} (1 in 10 s)`),
      remedy: expect.stringContaining('keyless-proxy in STRONGROOM_RATE_LIMITS'),
    });
  });

  it('is not in the API for keys', async () => {
    expect((await vault.request('GET', '/reached-limits', { key: tenant.keys.management })).status).toBe(404);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../harness/token-endpoints.ts';

/* Previously, a key that may only send plaintext to listed destinations counted as one that sees it. */
let vault: TestVault;
let tenant: TestTenant;
let owner: TokenEndpoints;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  owner = new TokenEndpoints(vault, tenant.keys.reveal);
});
afterAll(() => vault.stop());

const secret = 'secret-4012888888881881';
const provider = ['api.provider.example'];
const rule = (priority: number, container: string, transform: string, ...permissions: string[]) => ({
  priority,
  container,
  transform,
  permissions,
});
const make = async (rights: Readonly<Record<string, unknown>>) =>
  new TokenEndpoints(vault, (await createApplication(vault, tenant, rights)).key);

describe('a key that may only send plaintext to listed destinations', () => {
  it('does not vouch for a view of what others write later', async () => {
    const permissions = ['token:create', 'token:read', 'token:use'];
    const limited = await make({ permissions, allowed_destinations: provider });
    const { id } = await limited.make({ data: 'bait', mask: '{{ data }}' });
    expect((await owner.patch(id, { data: secret })).status).toBe(200);
    expect(JSON.stringify(tokenOf(await limited.get(id)))).not.toContain('401288');
  });

  it('loses the view that it vouched for while it had no list of destinations', async () => {
    const permissions = ['token:create', 'token:read', 'token:use'];
    const made = await createApplication(vault, tenant, { permissions });
    const limited = new TokenEndpoints(vault, made.key);
    const { id } = await limited.make({ data: 'bait', mask: '{{ data }}' });
    const listed = await vault.request('PUT', `/applications/${made.id}`, {
      key: tenant.keys.management,
      body: { name: 'Limited', permissions, allowed_destinations: provider },
    });
    expect(listed.status).toBe(200);
    expect((await owner.patch(id, { data: secret })).status).toBe(200);
    expect((await owner.get(id)).text).not.toContain('{{ data }}');
  });

  it.each([
    ['with a list of destinations', { allowed_destinations: provider }],
    ['without one', {}],
  ])('%s does not move a token that it can only send to where it can read it', async (_name, list) => {
    const limited = await make({
      permissions: [],
      rules: [
        rule(1, '/a/', 'reveal', 'token:use'),
        rule(2, '/b/', 'reveal', 'token:read'),
        rule(3, '/', 'mask', 'token:update', 'token:read'),
      ],
      ...list,
    });
    const { id } = await owner.make({ data: secret, containers: ['/a/'] });
    expect((await limited.patch(id, { containers: ['/b/'] })).status).toBe(403);
    expect((await limited.get(id)).text).not.toContain('401288');
  });

  it('does not move a token to where it can send it', async () => {
    const limited = await make({
      permissions: [],
      rules: [rule(1, '/b/', 'reveal', 'token:use'), rule(2, '/', 'mask', 'token:update', 'token:read')],
      allowed_destinations: provider,
    });
    const { id } = await owner.make({ data: secret, containers: ['/a/'] });
    expect((await limited.patch(id, { containers: ['/b/'] })).status).toBe(403);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutTraceId } from '../../../test/harness/problem-text.ts';
import { createApplication } from '../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
let tokenId: string;
const number = '4242424242424242';
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  const body = { type: 'card', data: { number, expiration_month: 1, expiration_year: 2030 } };
  tokenId = ((await vault.request('POST', '/tokens', { key: tenant.keys.private, body })).body as { id: string }).id;
});
afterAll(() => vault.stop());

const explain = (body: Record<string, unknown>, key = tenant.keys.management) =>
  vault.request('POST', '/access/explain', { key, body });
const support = {
  description: 'Support sees last four',
  priority: 1,
  container: '/pci/',
  transform: 'mask',
  permissions: ['token:read'],
};

describe('POST /access/explain', () => {
  it('200 names the rule, the transform and the mask, and shows no data', async () => {
    const { id } = await createApplication(vault, tenant, { permissions: ['token:use'], rules: [support] });
    const answer = await explain({ application_id: id, token_id: tokenId });
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('4242');
    const { decisions } = answer.body as { decisions: { permission: string }[] };
    expect(decisions.map(({ permission }) => permission)).toEqual([
      'token:create',
      'token:read',
      'token:update',
      'token:delete',
      'token:search',
      'token:use',
      'token-intent:create',
      'token-intent:read',
      'token-intent:delete',
    ]);
    expect(decisions).toContainEqual({
      permission: 'token:read',
      is_allowed: true,
      transform: 'mask',
      rule: support,
      is_plain_permission: false,
      sees: { data: 'masked', mask: expect.stringContaining('reveal_last') },
    });
    expect(decisions).toContainEqual({
      permission: 'token:use',
      is_allowed: true,
      transform: 'reveal',
      is_plain_permission: true,
      sees: { data: 'plaintext' },
    });
    expect(decisions).toContainEqual({
      permission: 'token:delete',
      is_allowed: false,
      reason: 'permission-not-granted',
    });
  });

  it('200 answers for a draft in a container, before anybody has the rights', async () => {
    const asked = { rules: [support], permission: 'token:read' };
    expect((await explain({ ...asked, container: '/pci/high/' })).body).toMatchObject({
      decisions: [{ is_allowed: true, sees: { data: 'masked' } }],
    });
    expect((await explain({ ...asked, container: '/pii/' })).body).toEqual({
      decisions: [{ permission: 'token:read', is_allowed: false, reason: 'no-rule-covers-target' }],
    });
  });

  it.each([
    ['no subject', { container: '/' }],
    ['two subjects', { application_id: crypto.randomUUID(), rules: [support], container: '/' }],
    ['no target', { rules: [support] }],
    ['two targets', { rules: [support], container: '/', token_id: 'abc' }],
    ['a draft that grants nothing', { permissions: [], container: '/' }],
    ['a bad container', { rules: [support], container: 'pci' }],
    ['an unknown permission', { rules: [support], container: '/', permission: 'token:fly' }],
  ])('400 for %s', async (_name, body) => {
    expect((await explain(body)).status).toBe(400);
  });

  it('403 refuses keys that may not read applications', async () => {
    for (const key of [tenant.keys.private, tenant.keys.public]) {
      expect((await explain({ rules: [support], container: '/' }, key)).status).toBe(403);
    }
  });

  it("404 answers for another tenant's application and token as for random ones", async () => {
    const other = await vault.makeTenant();
    const { id } = await createApplication(vault, other);
    const foreign = await explain({ application_id: id, container: '/' });
    const absent = await explain({ application_id: crypto.randomUUID(), container: '/' });
    expect(withoutTraceId(foreign.text)).toBe(withoutTraceId(absent.text));
    expect(foreign.status).toBe(404);
    const unseen = await explain({ rules: [support], token_id: tokenId }, other.keys.management);
    const unknown = await explain({ rules: [support], token_id: crypto.randomUUID() }, other.keys.management);
    expect(withoutTraceId(unseen.text)).toBe(withoutTraceId(unknown.text));
    expect(unseen.status).toBe(404);
  });
});

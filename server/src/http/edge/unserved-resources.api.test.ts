import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { unservedResources } from './unserved-resources.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const id = '4242424242424242';
/** Every path of the published clients that a vault does not serve, with the resource that it belongs to. */
const left: readonly (readonly [path: string, resource: keyof typeof unservedResources])[] = [
  ['/reactors', 'reactors'],
  [`/reactors/${id}`, 'reactors'],
  [`/reactors/${id}/react`, 'reactors'],
  [`/reactors/${id}/react-async`, 'reactors'],
  [`/reactors/${id}/results/${id}`, 'reactors'],
  ['/reactor-formulas', 'reactors'],
  [`/reactor-formulas/${id}`, 'reactors'],
  ['/3ds/sessions', 'threeds'],
  [`/3ds/sessions/${id}/authenticate`, 'threeds'],
  [`/3ds/sessions/${id}/challenge-result`, 'threeds'],
  ['/apple-pay', 'wallets'],
  ['/apple-pay/domain-registration', 'wallets'],
  [`/apple-pay/merchant-registration/${id}/certificates`, 'wallets'],
  ['/google-pay', 'wallets'],
  ['/connections/apple-pay/tokenize', 'wallets'],
  ['/connections/google-pay/tokenize', 'wallets'],
  ['/network-tokens', 'networkTokens'],
  [`/network-tokens/${id}/cryptogram`, 'networkTokens'],
  ['/account-updater/jobs', 'accountUpdater'],
  ['/account-updater/real-time', 'accountUpdater'],
  ['/agentic/agents', 'agentic'],
  ['/agentic/enrollments', 'agentic'],
  ['/enrichments/bank-account-verify', 'enrichments'],
  ['/enrichments/card-details', 'enrichments'],
  ['/documents', 'documents'],
  [`/documents/${id}/data`, 'documents'],
  ['/tenants/self/connections', 'connections'],
  ['/tenants/self/security-contact', 'securityContact'],
  [`/tenants/${id}/merchants`, 'merchants'],
  [`/tenants/${id}/merchants/${id}/services`, 'merchants'],
  [`/applications/${id}/regenerate`, 'regenerateKey'],
];

const whyOf = (resource: keyof typeof unservedResources) => unservedResources[resource].why.replaceAll('`', '');

describe('404 for a resource that is left out', () => {
  it.each(left)('%s says why, with and without a key', async (path, resource) => {
    const { name } = unservedResources[resource];
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const key of [undefined, 'unknown', tenant.keys.private, tenant.keys.management]) {
        const { status, body, text } = await vault.request(method, path, key === undefined ? {} : { key });
        expect([method, status]).toEqual([method, 404]);
        expect(body).toMatchObject({
          type: '/docs/errors/not-served',
          detail: `This vault does not have ${name}. ${whyOf(resource)} See /docs/errors/not-served.`,
          instance: 'unknown',
        });
        expect(text).not.toContain(id);
      }
    }
  });

  it.each(['/reactors/', '/reactors?page=1', '/reactors/?page=1', '/reactors//', `/reactors/${id}/`])(
    '%s as well',
    async (path) => {
      expect((await vault.request('GET', path)).body).toMatchObject({ type: '/docs/errors/not-served' });
    },
  );

  it('has a page about it, which needs no key', async () => {
    const { status, text } = await vault.request('GET', '/docs/errors/not-served');
    expect(status).toBe(200);
    expect(text).toContain('leaves out on purpose');
  });

  it('writes no record, as for any path that does not exist', async () => {
    const before = (await vault.auditRecords(tenant.id)).length;
    await vault.request('POST', '/reactors', { key: tenant.keys.management, body: { name: 'x' } });
    expect(await vault.auditRecords(tenant.id)).toHaveLength(before);
  });
});

describe('other paths keep their responses', () => {
  it.each([
    '/reactor',
    '/reactorsx',
    '/Reactors',
    '/v2/reactors',
    '//reactors',
    '/%72eactors',
    '/tenants/merchants',
    '/tenants//merchants',
    '/applications/regenerate/x',
    '/connections',
    '/connections/other',
    '/3dsecure',
  ])('404 %s is not part of the API', async (path) => {
    const { status, body } = await vault.request('GET', path);
    expect([status, body]).toMatchObject([404, { type: '/docs/errors/not-found' }]);
  });

  it.each([
    ['GET', '/tokens', 401],
    ['GET', '/applications', 401],
    ['DELETE', '/tenants/self/owner', 405],
    ['POST', '/tokens/x', 405],
  ])('%s %s is %i', async (method, path, status) => {
    expect((await vault.request(method, path)).status).toBe(status);
  });
});

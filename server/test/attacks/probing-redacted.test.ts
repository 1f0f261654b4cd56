import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLimitedKey, makeSessionKey, ruleOn } from '../harness/limited-key.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { idsOf, pageOf } from '../harness/token-answers.ts';
import { TokenEndpoints } from '../harness/token-endpoints.ts';

let vault: TestVault;
let tenant: TestTenant;
let hidden: { id: string; fingerprint: string };
let shown: { id: string; fingerprint: string };
const probes = new Map<string, string>();
const ssn = '123-45-6789';

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  const owner = new TokenEndpoints(vault, tenant.keys.reveal);
  const make = async (data: string, containers: string[]) => {
    const { id, fingerprint = '' } = await owner.make({ type: 'social_security_number', data, containers });
    return { id, fingerprint };
  };
  hidden = await make(ssn, ['/restricted/', '/open/']);
  shown = await make('987-65-4321', ['/open/']);
  const both = ['token:read', 'token:search'];
  const rules = [ruleOn('/restricted/', 'redact', ...both), ruleOn('/', 'mask', ...both)];
  const all = [ruleOn('/', 'reveal', ...both)];
  probes.set('a private key', await makeLimitedKey(vault, tenant, { rules }));
  probes.set(
    'a private key with plain permissions behind the rule',
    await makeLimitedKey(vault, tenant, { permissions: both, rules: rules.slice(0, 1) }),
  );
  probes.set('a session', await makeSessionKey(vault, tenant, { rules }, { has: { rules: all } }));
  probes.set(
    'a session that reveals, of an authorizer that now redacts',
    await makeSessionKey(vault, tenant, { rules: all }, { has: { rules: all }, isLeftWith: { rules } }),
  );
});
afterAll(() => vault.stop());

describe.each([
  'a private key',
  'a private key with plain permissions behind the rule',
  'a session',
  'a session that reveals, of an authorizer that now redacts',
])('%s', (name) => {
  const key = () => probes.get(name) ?? '';
  const find = async (path: string, query: string) =>
    idsOf(pageOf(await vault.request('POST', path, { key: key(), body: { query } }))).toSorted();

  it.each<[string, string]>([
    ['the whole value', `data:"${ssn}"`],
    ['another index of it', 'data:123456789'],
    ['the last four', 'data:6789'],
    ['an index beside the id', `id:"<hidden>" AND data:6789`],
    ['an index beside the container', 'container:"/restricted/" AND data:6789'],
    ['an index in a choice', '(data:0000 OR data:6789)'],
    ['two refusals', 'NOT (NOT data:6789)'],
    ['the fingerprint', 'fingerprint:<print>'],
    ['the fingerprint beside the type', 'type:social_security_number AND fingerprint:<print>'],
  ])('finds no redacted token by %s', async (_name, text) => {
    const query = text.replace('<hidden>', hidden.id).replace('<print>', hidden.fingerprint);
    for (const path of ['/tokens/search', '/v2/tokens/search']) expect(await find(path, query)).toEqual([]);
  });

  it.each([
    'NOT data:6789',
    '-data:6789',
    'NOT data:0000',
    'NOT fingerprint:<print>',
    'data:0000 OR type:social_security_number',
  ])('is told nothing by a redacted token that is left out: %s', async (text) => {
    const query = text.replace('<print>', hidden.fingerprint);
    for (const path of ['/tokens/search', '/v2/tokens/search']) {
      expect(await find(path, query)).toEqual([hidden.id, shown.id].toSorted());
    }
  });

  it('lists no redacted token by its fingerprint, and counts none', async () => {
    for (const path of ['/tokens', '/v2/tokens']) {
      const page = pageOf(await vault.request('GET', `${path}?fingerprint=${hidden.fingerprint}`, { key: key() }));
      expect(page.data).toEqual([]);
      if (path === '/tokens') expect(page.pagination.total_items).toBe(0);
    }
  });

  it.each<[string, string]>([
    ['its id', 'id:"<hidden>"'],
    ['its container', 'container:"/restricted/*"'],
  ])('still finds a redacted token by %s', async (_name, text) => {
    expect(await find('/tokens/search', text.replace('<hidden>', hidden.id))).toEqual([hidden.id]);
  });

  it('still finds a masked token by its content, and by its fingerprint if that is shown', async () => {
    for (const query of ['data:4321', 'data:987654321']) {
      expect(await find('/tokens/search', query)).toEqual([shown.id]);
    }
    const byFingerprint = await find('/tokens/search', `fingerprint:${shown.fingerprint}`);
    expect(byFingerprint).toEqual(name.includes('session') ? [] : [shown.id]);
  });

  it.each([
    `{{ <hidden> }}`,
    `{{ <hidden> | last4 }}`,
    `{{ <hidden> | slice: 0, 1 | remove: '1' }}`,
    `{{ <hidden> | remove: '-' | to_number }}`,
  ])('detokenizes nothing of a redacted token: %s', async (text) => {
    const body = { value: text.replace('<hidden>', hidden.id) };
    const answer = await vault.request('POST', '/detokenize', { key: key(), body });
    expect(answer.text).not.toMatch(/6789|123/);
  });
});

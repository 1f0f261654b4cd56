import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
const ids: string[] = [];
const paths = ['/', '/a/', '/a/b/', '/b/', '/ab/', '/a/b/c/'];
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  const sets = paths.flatMap((first) => [[first], [first, '/b/'], ['/a/', first]]);
  const wanted = sets.map((containers, index) => ({
    id: `t-${index}`,
    type: 'token',
    data: `secret ${index}`,
    mask: '{{ data | last4 }}',
    containers,
  }));
  const answer = await vault.request('POST', '/tokenize', { key: tenant.keys.reveal, body: wanted });
  expect(answer.status).toBe(200);
  ids.push(...wanted.map(({ id }) => id));
});
afterAll(() => vault.stop());

const anyRules = fc.array(
  fc.record({
    container: fc.constantFrom(...paths),
    transform: fc.constantFrom('redact', 'mask', 'reveal'),
    permissions: fc.constantFrom(['token:read'], ['token:read', 'token:search'], ['token:create']),
  }),
  { minLength: 1, maxLength: 5 },
);
const anyConditions = fc.array(
  fc.oneof(
    fc.record({
      attribute: fc.constant('id'),
      operator: fc.constantFrom('equals', 'starts_with'),
      value: fc.constantFrom('t-1', 't-', 't-12', 'x'),
    }),
    fc.record({
      attribute: fc.constant('container'),
      operator: fc.constantFrom('equals', 'starts_with'),
      value: fc.constantFrom(...paths),
    }),
  ),
  { minLength: 1, maxLength: 2 },
);

/** What a key sees of every token: the answer of a single get, and the entry in the list. */
async function compare(key: string): Promise<void> {
  const list = await vault.request('GET', '/tokens?size=100', { key });
  if (list.status === 403) {
    for (const id of ids) expect((await vault.request('GET', `/tokens/${id}`, { key })).status).toBe(403);
    return;
  }
  const { data, pagination } = list.body as { data: { id: string }[]; pagination: { total_items: number } };
  const listed = new Map(data.map((token) => [token.id, token]));
  expect(pagination.total_items).toBe(listed.size);
  for (const id of ids) {
    const single = await vault.request('GET', `/tokens/${id}`, { key });
    expect([id, single.status]).toEqual([id, listed.has(id) ? 200 : 403]);
    if (single.status === 200) expect(listed.get(id)).toEqual(single.body);
  }
}

describe('a list and a single get', () => {
  it('agree on every token, for any rules of an application', async () => {
    await fc.assert(
      fc.asyncProperty(anyRules, async (rules) => {
        const body = rules.map((rule, priority) => ({ ...rule, priority }));
        await compare((await createApplication(vault, tenant, { permissions: [], rules: body })).key);
      }),
      { numRuns: 40, seed: 7 },
    );
  }, 60_000);

  it('agree on every token, for any conditions of a session within any rules of its authorizer', async () => {
    await fc.assert(
      fc.asyncProperty(anyRules, anyConditions, async (rules, conditions) => {
        const authorizer = await createApplication(vault, tenant, {
          permissions: [],
          rules: rules.map((rule, priority) => ({ ...rule, priority })),
        });
        const session = (await vault.request('POST', '/sessions', { key: tenant.keys.public })).body as {
          session_key: string;
          nonce: string;
        };
        const granted = [{ priority: 1, conditions, transform: 'reveal', permissions: ['token:read'] }];
        const answer = await vault.request('POST', '/sessions/authorize', {
          key: authorizer.key,
          body: { nonce: session.nonce, rules: granted },
        });
        expect(answer.status).toBe(200);
        await compare(session.session_key);
      }),
      { numRuns: 40, seed: 7 },
    );
  }, 60_000);
});

import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../harness/test-application.ts';
import { type TestResponse, type TestTenant, TestVault } from '../harness/test-vault.ts';

/** The number of random rule sets. `npm run test:agreement` uses many more. */
const numRuns = Number(process.env['AGREEMENT_RUNS'] ?? 10);
const searchRuns = Math.ceil(numRuns / 3);

let vault: TestVault;
let tenant: TestTenant;
const ids: string[] = [];
const prints = new Map<string, string>();
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
    search_indexes: ['{{ data }}'],
    containers,
  }));
  const answer = await vault.request('POST', '/tokenize', { key: tenant.keys.reveal, body: wanted });
  expect(answer.status).toBe(200);
  ids.push(...wanted.map(({ id }) => id));
  for (const { id, fingerprint } of answer.body as { id: string; fingerprint: string }[]) prints.set(id, fingerprint);
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
      // The beginning of a path does not have to end with a slash.
      value: fc.constantFrom(...paths, '/a', '/ab', '/a/b'),
    }),
  ),
  { minLength: 1, maxLength: 2 },
);

/** Compares what a key sees of every token in single gets with what it sees in the list. */
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
      { numRuns, seed: 7 },
    );
  });

  it('agree on every token, for any conditions of a session within any rules of its authorizer', async () => {
    await fc.assert(
      fc.asyncProperty(anyRules, anyConditions, async (rules, conditions) => {
        await compare(await makeSession(rules, conditions, ['token:read']));
      }),
      { numRuns, seed: 7 },
    );
  });
});

describe('a search for content', () => {
  const both = ['token:read', 'token:search'];

  it('finds a token exactly where a single get shows something of its data, for any rules of an application', async () => {
    await fc.assert(
      fc.asyncProperty(anyRules, async (rules) => {
        const body = rules.map((rule, priority) => ({ ...rule, permissions: both, priority }));
        const { key } = await createApplication(vault, tenant, { permissions: [], rules: body });
        await probe(key, { hasFingerprints: true });
      }),
      { numRuns: searchRuns, seed: 11 },
    );
  });

  it('finds a token exactly where a single get shows something of its data, for any session', async () => {
    await fc.assert(
      fc.asyncProperty(anyRules, anyConditions, async (rules, conditions) => {
        const granted = rules.map((rule) => ({ ...rule, permissions: both }));
        await probe(await makeSession(granted, conditions, both), { hasFingerprints: false });
      }),
      { numRuns: searchRuns, seed: 11 },
    );
  });
});

/** Creates a session with full rights from an application whose own rights are then reduced to these rules. */
async function makeSession(
  rules: readonly object[],
  conditions: readonly object[],
  permissions: readonly string[],
): Promise<string> {
  const everything = [{ priority: 1, container: '/', transform: 'reveal', permissions }];
  const authorizer = await createApplication(vault, tenant, { permissions: [], rules: everything });
  const session = await vault.request('POST', '/sessions', { key: tenant.keys.public });
  const { session_key, nonce } = session.body as { session_key: string; nonce: string };
  const granted = [{ priority: 1, conditions, transform: 'reveal', permissions }];
  const body = { nonce, rules: granted };
  const answer = await vault.request('POST', '/sessions/authorize', { key: authorizer.key, body });
  expect(answer.status).toBe(200);
  const kept = await vault.request('PUT', `/applications/${authorizer.id}`, {
    key: tenant.keys.management,
    body: { name: 'Kept', rules: rules.map((rule, priority) => ({ ...rule, priority })) },
  });
  expect(kept.status).toBe(200);
  return session_key;
}

/** Tries to get the content of every token in every possible way. Sessions never see fingerprints. */
async function probe(key: string, { hasFingerprints }: { hasFingerprints: boolean }): Promise<void> {
  const visible: string[] = [];
  const readable: string[] = [];
  for (const id of ids) {
    const { status, body } = await vault.request('GET', `/tokens/${id}`, { key });
    if (status === 200) visible.push(id);
    if (status === 200 && (body as { data?: unknown }).data !== undefined) readable.push(id);
  }
  for (const [index, id] of ids.entries()) {
    const found = readable.includes(id) ? [id] : [];
    const others = visible.filter((one) => !found.includes(one));
    const print = prints.get(id) ?? '';
    expect(await search(key, `data:"secret ${index}"`)).toEqual(found);
    expect(await search(key, `NOT data:"secret ${index}"`)).toEqual(others);
    expect(await search(key, `fingerprint:${print} OR (type:card AND data:x)`)).toEqual(hasFingerprints ? found : []);
    const listed = await vault.request('GET', `/tokens?size=100&fingerprint=${print}`, { key });
    expect(idsIn(listed)).toEqual(hasFingerprints ? found : []);
  }
}

async function search(key: string, query: string): Promise<string[]> {
  return idsIn(await vault.request('POST', '/tokens/search', { key, body: { query, size: 100 } }));
}

/** Returns the ids in order of creation, and checks that the total agrees. */
function idsIn(answer: TestResponse): string[] {
  const { data, pagination } = answer.body as { data: { id: string }[]; pagination: { total_items: number } };
  expect(pagination.total_items).toBe(data.length);
  return ids.filter((id) => data.some((token) => token.id === id));
}

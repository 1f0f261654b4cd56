import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permissionsOf } from '../../src/core/access/permission.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { loopPace } from '../../src/platform/waiting/tenant-pace.ts';
import { untilTrue } from '../harness/deadline.ts';
import { BackendMemory } from '../harness/backend-memory.ts';
import { post } from '../harness/heavy-requests.ts';
import { type LimitedRule, makeLimitedKey, makeSessionKey, ruleOn } from '../harness/limited-key.ts';
import { MeasuredVault } from '../harness/measured-vault.ts';
import { StatementTap } from '../harness/statement-tap.ts';
import { fieldsOf } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { idsOf, pageOf } from '../harness/token-answers.ts';
import { lastContainer, listConditionalRules, listEclipsedRules, listStackedRules } from '../slowest/hostile-rights.ts';

/*
 * Previously, each content term of a search was combined with every rule of its caller in one condition. A search of 86
 * characters made PostgreSQL use more than a gigabyte to plan it.
 */
const statementBytesMax = 64 * 1024;
const memoryBytesMax = 100 * 1024 * 1024;
const permissions = ['token:read', 'token:search'];

let vault: TestVault;
let tenant: TestTenant;
let tap: StatementTap;
let memory: BackendMemory;
const keys = new Map<string, string>();
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  for (const index of [0, 1, 2]) {
    const body = {
      id: `ssn-${index}`,
      type: 'social_security_number',
      data: `123-45-678${index}`,
      containers: [`/c${index}/`],
      metadata: { index: String(index) },
    };
    expect((await vault.request('POST', '/tokens', { key: tenant.keys.private, body })).status).toBe(201);
  }
  const rules = Array.from({ length: 100 }, (_, index) =>
    ruleOn(`/c${index}/`, index % 2 === 0 ? 'mask' : 'redact', ...permissions),
  );
  const all = [ruleOn('/', 'reveal', ...permissions)];
  keys.set('an application with 100 container rules', await makeLimitedKey(vault, tenant, { rules }));
  const conditional = Array.from({ length: 20 }, (_, priority) => ({
    description: '',
    priority,
    conditions: [
      { attribute: 'container', operator: 'starts_with', value: `/c${priority}/` },
      ...Array.from({ length: 19 }, (_each, index) => ({
        attribute: 'id',
        operator: 'starts_with',
        value: 'ssn-'.slice(0, 1 + (index % 4)),
      })),
    ],
    transform: priority % 2 === 0 ? 'mask' : 'redact',
    permissions,
  }));
  keys.set(
    'a session with 20 × 20 conditions',
    await makeSessionKey(vault, tenant, { rules: conditional }, { has: { rules: all } }),
  );
  keys.set(
    'a session with 20 × 20 conditions of such an application',
    await makeSessionKey(vault, tenant, { rules: conditional }, { has: { rules: all }, isLeftWith: { rules } }),
  );
  tap = new StatementTap();
  memory = await BackendMemory.start(vault.database.owner);
});
afterAll(async () => {
  tap.close();
  await vault.stop();
});

const data = (digit: number) => `data:"123-45-678${digit % 10}"`;
const many = (count: number, word: string, toTerm: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => toTerm(index)).join(` ${word} `);
/** Queries of maximum length, and the tokens that each finds for a caller who sees only even containers. */
const queries: readonly (readonly [query: string, ids: readonly string[]])[] = [
  [many(8, 'OR', data), ['ssn-0', 'ssn-2']],
  [many(7, 'OR', (index) => `NOT ${data(index)}`), ['ssn-0', 'ssn-1', 'ssn-2']],
  [many(20, 'OR', () => 'data:1'), []],
  [many(18, 'OR', () => '-data:1'), ['ssn-0', 'ssn-1', 'ssn-2']],
  [`${'('.repeat(30)}${data(0)} OR ${data(1)}${')'.repeat(30)}`, ['ssn-0']],
  [many(10, 'OR', (index) => `fingerprint:f${index}`), []],
  [`container:"/c0/*" AND (${many(6, 'OR', data)})`, ['ssn-0']],
];

describe.each([
  'an application with 100 container rules',
  'a session with 20 × 20 conditions',
  'a session with 20 × 20 conditions of such an application',
])('%s', (name) => {
  const key = () => keys.get(name) ?? '';

  it.each(['/tokens/search', '/v2/tokens/search'])('finds by %s what it sees, with short statements', async (path) => {
    for (const [query, ids] of queries) {
      const start = tap.sent.length;
      const answer = await vault.request('POST', path, { key: key(), body: { query } });
      const longest = Math.max(...tap.sent.slice(start).map(({ text }) => Buffer.byteLength(text)));
      expect([query, longest <= statementBytesMax]).toEqual([query, true]);
      expect([query, answer.status]).toEqual([query, 200]);
      expect([query, idsOf(pageOf(answer)).toSorted()]).toEqual([query, ids]);
    }
    expect(await memory.peakBytes()).toBeLessThan(memoryBytesMax);
  });

  it.each(['/tokens', '/tokens?size=1&page=2', '/v2/tokens', '/tokens?type=social_security_number&metadata.index=1'])(
    'lists %s with short statements',
    async (path) => {
      const start = tap.sent.length;
      expect((await vault.request('GET', path, { key: key() })).status).toBe(200);
      for (const { text } of tap.sent.slice(start))
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(statementBytesMax);
      expect(await memory.peakBytes()).toBeLessThan(memoryBytesMax);
    },
  );
});

describe('searches of a tenant that is not alone', () => {
  const all = { rules: [ruleOn('/', 'reveal', ...permissionsOf('private'))] };
  const tokens = Array.from({ length: 1_000 }, (_, index) => ({
    id: `tok-${index}`,
    type: 'token',
    data: 'v',
    containers: [`/y${index % 50}/`, lastContainer],
  }));

  it.each<[string, LimitedRule[], boolean]>([
    ['many conditions', listConditionalRules(), true],
    ['a rule', [ruleOn('/z/', 'mask', ...permissions)], false],
  ])('are charged for what their rules take of PostgreSQL: %s', async (_name, rules, isCharged) => {
    const [own, other] = [await vault.makeTenant(), await vault.makeTenant()];
    expect((await vault.request('POST', '/tokenize', { key: own.keys.private, body: tokens })).status).toBe(200);
    const key = await makeSessionKey(vault, own, { rules }, { has: all });
    await untilTrue(async () => loopPace.waitMsOf(parseTenantId(own.id)) === 0, { waitingFor: 'what the tokens took' });
    await vault.request('GET', '/tokens', { key: other.keys.private });
    const search = () => vault.request('POST', '/tokens/search', { key, body: { query: '-data:1' } });
    const answers = await Promise.all(Array.from({ length: 4 }, search));
    expect(loopPace.waitMsOf(parseTenantId(own.id)) > 0).toBe(isCharged);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});

describe('who sees what', () => {
  it('is told in short turns beside many sessions with as many conditions as they may have', async () => {
    const own = await vault.makeTenant();
    const all = [ruleOn('/', 'reveal', ...permissions)];
    for (let session = 0; session < 20; session += 1) {
      const rules = Array.from({ length: 20 }, (_, priority) => ({
        description: '',
        priority,
        conditions: Array.from({ length: 20 }, (_each, index) => ({
          attribute: 'container',
          operator: index % 2 === 0 ? 'equals' : 'starts_with',
          value: `/s${session}/r${priority}/c${index}/`,
        })),
        transform: 'mask',
        permissions,
      }));
      await makeSessionKey(vault, own, { rules }, { has: { rules: all } });
    }
    const measured = await MeasuredVault.start(vault, own.keys.private);
    try {
      const answer = await measured.measureShort(post('/access/who', own.keys.management, { container: '/' }));
      expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.any(String)]);
      expect(answer.longestMs).toBeLessThan(measured.turnMaxMs);
    } finally {
      await measured.stop();
    }
  });
});

describe('a condition on containers', () => {
  const rulesOf = (...values: string[]) =>
    values.map((value, priority) => ({
      description: '',
      priority,
      conditions: [{ attribute: 'container', operator: 'starts_with', value }],
      transform: 'mask',
      permissions,
    }));
  const all = [ruleOn('/', 'reveal', ...permissions)];

  it.each([['/c0/ /c1/'], ['/c0/\u00a0'], ['/c%'], ['/ç0/'], ['*']])(
    '400 is not %j, which no path holds',
    async (value) => {
      await expect(makeSessionKey(vault, tenant, { rules: rulesOf(value) }, { has: { rules: all } })).rejects.toThrow(
        'must contain only slashes, letters, digits, hyphens and underscores',
      );
    },
  );

  it.each<[string, string[], string[]]>([
    ['part of a name', ['/c'], ['ssn-0', 'ssn-1', 'ssn-2']],
    ['a path without its end', ['/c1'], ['ssn-1']],
    ['several of them', ['/c1', '/C2/', '/x'], ['ssn-1', 'ssn-2']],
    ['what is nowhere', ['c1/'], []],
  ])('may be %s, and lists agree with single reads', async (_name, values, ids) => {
    const key = await makeSessionKey(vault, tenant, { rules: rulesOf(...values) }, { has: { rules: all } });
    const list = await vault.request('GET', '/tokens', { key });
    expect(idsOf(pageOf(list)).toSorted()).toEqual(ids);
    expect(pageOf(list).pagination.total_items).toBe(ids.length);
    for (const id of ['ssn-0', 'ssn-1', 'ssn-2']) {
      const { status } = await vault.request('GET', `/tokens/${id}`, { key });
      expect([id, status]).toEqual([id, ids.includes(id) ? 200 : 403]);
    }
  });
});

describe('a session', () => {
  it.each<[string, () => LimitedRule[], number]>([
    ['rules that its authorizer has', listEclipsedRules, 200],
    ['conditions that its authorizer lacks', listConditionalRules, 403],
  ])('is compared with an application of 100 rules in short turns: %s', async (_name, listRules, status) => {
    const own = await vault.makeTenant();
    const key = await makeLimitedKey(vault, own, { rules: listStackedRules() });
    const measured = await MeasuredVault.start(vault, own.keys.private);
    try {
      const authorize = async () => {
        const { body } = await vault.request('POST', '/sessions', { key: own.keys.public });
        const { nonce } = body as { nonce: string };
        return measured.measure(post('/sessions/authorize', key, { nonce, rules: listRules() }));
      };
      let answer = await authorize();
      expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
      for (let attempt = 0; attempt < 5 && answer.longestMs > measured.turnMaxMs; attempt += 1)
        answer = await authorize();
      expect(answer.longestMs).toBeLessThan(measured.turnMaxMs);
    } finally {
      await measured.stop();
    }
  });

  it.each<[string, number, number]>([
    ['21 rules of 20 conditions', 21, 20],
    ['100 rules of 5', 100, 5],
  ])('400 is not authorized with %s', async (_name, rules, conditions) => {
    const created = await vault.request('POST', '/sessions', { key: tenant.keys.public });
    const { nonce } = created.body as { nonce: string };
    const answer = await vault.request('POST', '/sessions/authorize', {
      key: tenant.keys.private,
      body: {
        nonce,
        rules: Array.from({ length: rules }, (_, priority) => ({
          priority,
          conditions: Array.from({ length: conditions }, () => ({
            attribute: 'id',
            operator: 'equals',
            value: 'x',
          })),
          transform: 'mask',
          permissions: ['token:read'],
        })),
      },
    });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['rules']]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StatementTap } from '../../../../test/harness/statement-tap.ts';
import { createApplication, fieldsOf } from '../../../../test/harness/test-application.ts';
import { type TestResponse, type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const tokenize = (body: unknown, key = tenant.keys.reveal) => vault.request('POST', '/tokenize', { key, body });
const nested = (depth: number, inside: string) => `${'['.repeat(depth)}${inside}${']'.repeat(depth)}`;
const detailOf = (answer: TestResponse) => (answer.body as { detail: string }).detail;

/** Returns everything that a request could have left behind. */
async function traces(): Promise<unknown> {
  const tables = ['tokens', 'token_terms', 'token_cvcs', 'token_counts', 'token_fingerprints'];
  const counts = tables.map((table) => `(select count(*)::int from ${table} where tenant_id = $1) as ${table}`);
  // Denials are omitted, because they are always recorded.
  counts.push(`(select count(*)::int from audit_records where tenant_id = $1 and outcome = 'success') as recorded`);
  const sum = '(select coalesce(sum(tokens), 0)::int from token_counts where tenant_id = $1) as counted';
  const { rows } = await vault.database.owner.query(`select ${counts.join(', ')}, ${sum}`, [tenant.id]);
  return rows[0];
}

async function expectNoTrace(work: () => Promise<TestResponse>): Promise<TestResponse> {
  const before = await traces();
  const answer = await work();
  expect(await traces()).toEqual(before);
  return answer;
}

describe('a tokenization is one piece', () => {
  it('200 makes 1,000 tokens in one transaction, all created in one instant', async () => {
    await tokenize(['warm']);
    const tap = new StatementTap();
    try {
      const values = Array.from({ length: 1_000 }, (_, index) => `value ${index}`);
      const start = tap.sent.length;
      const answer = await tokenize({ values });
      expect(answer.status).toBe(200);
      const sent = tap.sent.slice(start);
      expect(sent.filter(({ text }) => text.includes(tenant.id) && text.startsWith('begin'))).toHaveLength(1);
      expect(sent.filter(({ name }) => name === 'token-insert')).toHaveLength(1);
      const ids = (answer.body as { values: string[] }).values;
      expect(new Set(ids).size).toBe(1_000);
      const { rows } = await vault.database.owner.query(
        'select count(*)::int as tokens, count(distinct created_at)::int as instants, count(distinct xmin::text)::int as transactions from tokens where id = any($1)',
        [ids],
      );
      expect(rows).toEqual([{ tokens: 1_000, instants: 1, transactions: 1 }]);
      const records = await vault.auditRecords(tenant.id);
      expect(records.filter((record) => ids.includes(String(record['entity_id'])))).toHaveLength(1_000);
    } finally {
      tap.close();
    }
  });

  it('200 keeps the order of 1,000 values', async () => {
    const values = Array.from({ length: 1_000 }, (_, index) => `v${index}`);
    const ids = (await tokenize(values)).body as string[];
    const some = [0, 1, 499, 998, 999];
    const answer = await vault.request('POST', '/detokenize', {
      key: tenant.keys.reveal,
      body: some.map((index) => `{{ ${ids[index]} }}`),
    });
    expect(answer.body).toEqual(some.map((index) => `v${index}`));
  });

  it('200 takes a document of 32 levels', async () => {
    const answer = await vault.request('POST', '/tokenize', { key: tenant.keys.reveal, rawBody: nested(32, '"x"') });
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(/^\[{32}"[0-9a-f-]{36}"\]{32}$/);
    const rawBody = nested(32, `{"type":"token","data":${nested(20, '')}}`);
    expect((await vault.request('POST', '/tokenize', { key: tenant.keys.reveal, rawBody })).status).toBe(200);
  });

  it.each([
    ['33 levels around a string', nested(33, '"x"')],
    ['33 levels around a number', nested(33, '1')],
    ['33 empty levels', nested(33, '')],
    ['33 levels of objects', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`],
    ['a token request below 33 levels', nested(33, '{"type":"token","data":1}')],
  ])('400 refuses %s', async (_name, rawBody) => {
    const answer = await expectNoTrace(() => vault.request('POST', '/tokenize', { key: tenant.keys.reveal, rawBody }));
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toHaveLength(1);
  });

  it('400 refuses 1,001 tokens and stores none', async () => {
    const mixed = Array.from({ length: 1_001 }, (_, index) =>
      index % 2 === 0 ? 'leaf' : { type: 'token', data: index },
    );
    const answer = await expectNoTrace(() => tokenize(mixed));
    expect(answer.status).toBe(400);
    expect(detailOf(answer)).toContain('1000');
  });

  it.each(['"text"', '1', 'true', 'null', '""'])('400 refuses the root %s', async (rawBody) => {
    const answer = await expectNoTrace(() => vault.request('POST', '/tokenize', { key: tenant.keys.reveal, rawBody }));
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toEqual(['body']);
  });

  it('400 refuses a request without a body', async () => {
    expect((await vault.request('POST', '/tokenize', { key: tenant.keys.reveal })).status).toBe(400);
  });

  it('400 names the path of one bad leaf, stores nothing and leaves no record', async () => {
    const card = (number: string) => ({ type: 'card', data: { number, cvc: '123' }, metadata: { a: 'b' } });
    const body = { name: 'Ada', cards: [card('4242424242424242'), card('4242424242424241')] };
    const answer = await expectNoTrace(() => tokenize(body));
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toEqual(['cards.1.data.number']);
    expect(answer.text).not.toContain('424242');
  });

  it.each([
    ['a.type', { a: { type: 'unknown', data: 1 } }],
    ['a.type', { a: { type: 7, data: 1 } }],
    ['a.0.id', { a: [{ type: 'token', data: 1, id: 'a/b' }] }],
    ['a.containers.1', { a: { type: 'token', data: 1, containers: ['/x/', 'y'] } }],
    ['a.metadata.k', { a: { type: 'token', data: 1, metadata: { k: 1 } } }],
    ['a.mask.n', { a: { type: 'token', data: 1, mask: { n: '{{ data | no_such_filter }}' } } }],
    ['a.mask', { a: { type: 'token', data: 'text', mask: '{{ data | to_number }}' } }],
    ['a.search_indexes.1', { a: { type: 'token', data: 1, search_indexes: ['{{ data }}', '{{ data.none }}'] } }],
    ['a.fingerprint_expression', { a: { type: 'token', data: 1, fingerprint_expression: '{{ data' } }],
    ['a.deduplicate_token', { a: { type: 'token', data: 1, deduplicate_token: 'yes' } }],
    ['a.expires_at', { a: { type: 'token', data: 1, expires_at: '2001-01-01' } }],
    ['type', { type: 'unknown', data: 1 }],
  ])('400 names %s beside a good leaf', async (field, bad) => {
    const answer = await expectNoTrace(() => tokenize({ good: 'leaf', ...bad }));
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toContain(field);
  });

  it('403 asks for token:create on each destination container, and stores nothing without', async () => {
    const rule = (container: string, priority: number) => ({
      description: '',
      priority,
      container,
      transform: 'mask',
      permissions: ['token:create'],
    });
    const { key } = await createApplication(vault, tenant, {
      permissions: [],
      rules: [rule('/general/', 1), rule('/pci/', 2)],
    });
    const fits = {
      a: 'general',
      b: { type: 'card_number', data: '4242424242424242' },
      c: { type: 'token', data: 1, containers: ['/pci/x/', '/general/'] },
    };
    expect((await tokenize(fits, key)).status).toBe(200);

    const outside = { type: 'token', data: 1, containers: ['/pci/', '/hr/'] };
    for (const body of [
      { ...fits, d: outside },
      [{ type: 'social_security_number', data: '123-45-6789' }],
      ['x', outside],
    ]) {
      const answer = await expectNoTrace(() => tokenize(body, key));
      expect(answer.status).toBe(403);
      expect(detailOf(answer)).toMatch(/^Missing permission: token:create on container \/(hr|pii\/high)\/$/);
    }
  });

  it('403 refuses a key without token:create', async () => {
    const { key } = await createApplication(vault, tenant, { permissions: ['token:read'] });
    const answer = await tokenize({}, key);
    expect(answer).toMatchObject({ status: 403, body: { detail: 'Missing permission: token:create' } });
  });

  it('409 refuses an id that is taken anywhere, and stores nothing', async () => {
    const id = `taken-${crypto.randomUUID()}`;
    await tokenize([{ id, type: 'token', data: 'first' }]);
    const answer = await expectNoTrace(() =>
      tokenize({
        a: 'leaf',
        b: [
          { type: 'token', data: 2 },
          { id, type: 'token', data: 'second' },
        ],
      }),
    );
    expect(answer.status).toBe(409);
    expect(detailOf(answer)).toContain('b.1.id');
    expect(answer.text).not.toContain(id);
  });

  it('409 refuses two equal ids in one request, and stores neither', async () => {
    const id = `twice-${crypto.randomUUID()}`;
    const answer = await expectNoTrace(() =>
      tokenize({ a: { id, type: 'token', data: 1 }, b: 'x', c: { id, type: 'token', data: 2 } }),
    );
    expect(answer.status).toBe(409);
    expect(detailOf(answer)).toContain('c.id');
  });

  it('409 leaves the id free for the same id in another tenant', async () => {
    const id = `shared-${crypto.randomUUID()}`;
    const other = await vault.makeTenant();
    expect((await tokenize([{ id, type: 'token', data: 1 }])).status).toBe(200);
    expect((await tokenize([{ id, type: 'token', data: 2 }], other.keys.reveal)).status).toBe(200);
  });

  it('409 lets one of many concurrent requests have an id, whole', async () => {
    const id = `race-${crypto.randomUUID()}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => tokenize({ a: `race ${index}`, b: { id, type: 'token', data: index } })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });
});

describe('deduplication in a tokenization', () => {
  const wanted = (data: unknown, more: object = {}) => ({ type: 'token', data, deduplicate_token: true, ...more });
  const idsIn = (answer: TestResponse) => (answer.body as { id: string }[]).map(({ id }) => id);

  it('gives equal values of one request one token', async () => {
    const value = crypto.randomUUID();
    const [first, second, third, plain] = idsIn(
      await tokenize([wanted(value), wanted(value), wanted('other'), { type: 'token', data: value }]),
    );
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(plain).not.toBe(first);
    const creations = (await vault.auditRecords(tenant.id)).filter(
      (r) => r['entity_id'] === first && r['operation'] === 'create',
    );
    expect(creations).toHaveLength(1);
  });

  it('finds the token that exists already, in this request and in the next', async () => {
    const value = crypto.randomUUID();
    const [first] = idsIn(await tokenize([{ type: 'token', data: value, metadata: { kept: 'yes' } }]));
    const answer = await tokenize([wanted(value), wanted(crypto.randomUUID()), wanted(value)]);
    const [again, other, last] = idsIn(answer);
    expect([again, last]).toEqual([first, first]);
    expect(other).not.toBe(first);
    expect(answer.body).toMatchObject([{ metadata: { kept: 'yes' } }, {}, { metadata: { kept: 'yes' } }]);
  });

  it('has one winner among concurrent requests for one value', async () => {
    const value = crypto.randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => tokenize([wanted(`${value} ${index}`), wanted(value)])),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(new Set(answers.map((answer) => idsIn(answer)[1])).size).toBe(1);
  });

  it('follows the setting of the tenant for plain leaves', async () => {
    const own = await vault.makeTenant();
    const settings = { deduplicate_tokens: 'true' };
    const changed = await vault.request('PUT', '/tenants/self', {
      key: own.keys.management,
      body: { name: 'Own', settings },
    });
    expect(changed.status).toBe(200);
    const [first, second, third] = (await tokenize(['same', 'same', 'other'], own.keys.reveal)).body as string[];
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect((await tokenize(['same'], own.keys.reveal)).body).toEqual([first]);
  });

  it('undoes everything when another id of the request is taken', async () => {
    const id = `taken-${crypto.randomUUID()}`;
    await tokenize([{ id, type: 'token', data: 1 }]);
    const answer = await expectNoTrace(() => tokenize([wanted(crypto.randomUUID()), { id, type: 'token', data: 2 }]));
    expect(answer.status).toBe(409);
  });
});

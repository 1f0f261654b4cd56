import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutTraceId } from '../../../test/harness/problem-text.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const create = (body: unknown, key = tenant.keys.reveal) => vault.request('POST', '/tokens', { key, body });
const idOf = (answer: { body: unknown }) => (answer.body as { id: string }).id;

describe('POST /tokens', () => {
  it('201 stores a token, answers with its view and leaves one record', async () => {
    const answer = await create({ type: 'token', data: 'Sensitive Value', metadata: { order: '7' } });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`/tokens/${idOf(answer)}`);
    expect(answer.body).toMatchObject({
      tenant_id: tenant.id,
      type: 'token',
      data: 'Sensitive Value',
      containers: ['/general/high/'],
      metadata: { order: '7' },
    });
    const records = (await vault.auditRecords(tenant.id)).filter((record) => record['entity_id'] === idOf(answer));
    expect(records).toMatchObject([
      { entity_type: 'token', operation: 'create', outcome: 'success', actor_type: 'application' },
    ]);
  });

  it('201 shows no data to a plain permission when no mask is defined', async () => {
    const answer = await create({ type: 'token', data: 'Sensitive Value' }, tenant.keys.private);
    expect(answer.status).toBe(201);
    expect(answer.text).not.toContain('Sensitive Value');
  });

  it.each([
    ['big integers', '12345678901234567890'],
    ['exponents', '1e400'],
    ['negative zero', '-0'],
    ['trailing zeros', '[1.0, 2.50]'],
    ['escapes', '"\\u0041\\ud83d\\ude00\\/ \\ud800"'],
    ['spacing and __proto__', '{ "__proto__" : { "a": [ ] } }'],
  ])('gives %s back as they went in', async (_name, data) => {
    const rawBody = `{"type":"token","data":${data}}`;
    const created = await vault.request('POST', '/tokens', { key: tenant.keys.reveal, rawBody });
    expect(created.status).toBe(201);
    expect(created.text).toContain(`"data":${data}`);
    const read = await vault.request('GET', `/tokens/${idOf(created)}`, { key: tenant.keys.reveal });
    expect(read.text).toContain(`"data":${data}`);
  });

  it.each([
    ['type', { data: 1 }],
    ['data', { type: 'token' }],
    ['type', { type: 'unknown', data: 1 }],
    ['type', { type: 7, data: 1 }],
    ['id', { type: 'token', data: 1, id: 'a/b' }],
    ['id', { type: 'token', data: 1, id: 'ab' }],
    ['id', { type: 'token', data: 1, id: 'x'.repeat(401) }],
    ['id', { type: 'token', data: 1, id: 'a\u0000b' }],
    ['containers.0', { type: 'token', data: 1, containers: ['no-slash'] }],
    ['containers', { type: 'token', data: 1, containers: [] }],
    ['containers', { type: 'token', data: 1, containers: Array(11).fill('/a/') }],
    ['metadata.a', { type: 'token', data: 1, metadata: { a: 1 } }],
    [
      'metadata',
      { type: 'token', data: 1, metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 'v'])) },
    ],
  ])('400 names %s', async (field, body) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(Object.keys((answer.body as { errors: object }).errors)).toContain(field);
  });

  it('409 refuses a taken id, keeps the first value and leaves no second record of a creation', async () => {
    const id = `order-${crypto.randomUUID()}`;
    expect((await create({ id, type: 'token', data: 'first' })).status).toBe(201);
    expect((await create({ id, type: 'token', data: 'second' })).status).toBe(409);
    const read = await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.reveal });
    expect(read.body).toMatchObject({ data: 'first' });
    const creations = (await vault.auditRecords(tenant.id)).filter(
      (r) => r['entity_id'] === id && r['operation'] === 'create' && r['outcome'] === 'success',
    );
    expect(creations).toHaveLength(1);
  });

  it('has one winner among 200 creates of one id, in any batch', async () => {
    const id = `race-${crypto.randomUUID()}`;
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => create({ id, type: 'token', data: index })),
    );
    const winners = answers.filter(({ status }) => status === 201);
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(199);
    const read = await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.reveal });
    expect(read.body).toMatchObject({ data: (winners[0]?.body as { data: number } | undefined)?.data });
    const creations = (await vault.auditRecords(tenant.id)).filter(
      (r) => r['entity_id'] === id && r['operation'] === 'create' && r['outcome'] === 'success',
    );
    expect(creations).toHaveLength(1);
  });
});

describe('GET /tokens/{id}', () => {
  it('200 reads an id that needs encoding', async () => {
    const id = `für ${crypto.randomUUID()} @:;,é`;
    await create({ id, type: 'token', data: 1 });
    const read = await vault.request('GET', `/tokens/${encodeURIComponent(id)}/`, { key: tenant.keys.reveal });
    expect(read).toMatchObject({ status: 200, body: { id, data: 1 } });
  });

  it('200 is recorded before it is answered', async () => {
    const id = idOf(await create({ type: 'token', data: 1 }));
    await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.private, headers: { 'bt-trace-id': 'trace-1' } });
    const records = (await vault.auditRecords(tenant.id)).filter((record) => record['entity_id'] === id);
    expect(records).toMatchObject([
      { operation: 'create' },
      { operation: 'read', request_id: 'trace-1', source_address: '127.0.0.1' },
    ]);
  });

  it('403 refuses a key without the permission', async () => {
    const id = idOf(await create({ type: 'token', data: 1 }));
    const answer = await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.public });
    expect(answer).toMatchObject({ status: 403, body: { detail: 'Missing permission: token:read' } });
  });

  it('404 answers absent, foreign and expired ids with the same bytes', async () => {
    const other = await vault.makeTenant();
    const foreign = idOf(await create({ type: 'token', data: 1 }, other.keys.reveal));
    const expired = idOf(await create({ type: 'token', data: 1 }));
    await vault.database.owner.query(
      `update tokens set expires_at = now() - interval '1 second', expires_at_offset_minutes = 0 where id = $1`,
      [expired],
    );
    const ids = [crypto.randomUUID(), foreign, expired, 'nonsense', 'x'.repeat(401)];
    const answers = await Promise.all(
      ids.map((id) =>
        vault.request('GET', `/tokens/${id}`, { key: tenant.keys.reveal, headers: { 'bt-trace-id': 'same' } }),
      ),
    );
    expect(new Set(answers.map(({ text, status }) => `${status} ${withoutTraceId(text)}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
  });
});

describe('DELETE /tokens/{id}', () => {
  it('204 removes the token for good, with its record and its place in the report', async () => {
    const own = await vault.makeTenant();
    const id = idOf(await create({ type: 'token', data: 1 }, own.keys.reveal));
    await create({ type: 'token', data: 2 }, own.keys.reveal);
    const deleted = await vault.request('DELETE', `/tokens/${id}`, { key: own.keys.private });
    expect(deleted).toMatchObject({ status: 204, text: '' });
    expect((await vault.request('GET', `/tokens/${id}`, { key: own.keys.reveal })).status).toBe(404);
    expect((await vault.request('DELETE', `/tokens/${id}`, { key: own.keys.private })).status).toBe(404);
    const deletions = (await vault.auditRecords(own.id)).filter((record) => record['operation'] === 'delete');
    expect(deletions).toMatchObject([
      { entity_id: id, outcome: 'success', transform: null },
      { entity_id: id, outcome: 'missed' },
    ]);
    const report = await vault.request('GET', '/tenants/self/reports/usage', { key: own.keys.management });
    expect(report.body).toMatchObject({ total_tokens: 1, token_report: { metrics_by_type: { token: { count: 1 } } } });
  });

  it('has one winner among 50 deletes', async () => {
    const id = idOf(await create({ type: 'token', data: 1 }));
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => vault.request('DELETE', `/tokens/${id}`, { key: tenant.keys.private })),
    );
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(49);
  });
});

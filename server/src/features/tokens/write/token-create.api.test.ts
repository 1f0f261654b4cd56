import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createApplication,
  fieldsOf,
  recordsOf,
  utcTimestamp,
  uuidV4,
} from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../../../../test/harness/token-endpoints.ts';

let vault: TestVault;
let tenant: TestTenant;
let tokens: TokenEndpoints;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  tokens = new TokenEndpoints(vault, tenant.keys.reveal);
});
afterAll(() => vault.stop());

const applicationOf = async (key: string) => {
  const { body } = await vault.request('GET', '/applications/key', { key });
  return (body as { id: string }).id;
};
const countTokens = async (tenantId: string) => {
  const { rows } = await vault.database.owner.query('select count(*)::int as tokens from tokens where tenant_id = $1', [
    tenantId,
  ]);
  return (rows[0] as { tokens: number }).tokens;
};
/** Every field that a request may set, with a non-default value. */
const everything = () => ({
  id: `order-${crypto.randomUUID()}`,
  type: 'token',
  data: { name: 'Ada', account: 'DE00123' },
  mask: { name: '{{ data.name }}', account: '{{ data.account | reveal_last: 3 }}' },
  containers: ['/orders/high/'],
  metadata: { order: '7' },
  search_indexes: ['{{ data.name }}'],
  fingerprint_expression: '{{ data.account }}',
  deduplicate_token: false,
  expires_at: '2050-08-26T19:23:57-07:00',
});

describe('POST /tokens 201', () => {
  it('answers with every field that was set, and with nothing else', async () => {
    const { deduplicate_token: _, ...wanted } = everything();
    const answer = await tokens.create({ ...wanted, deduplicate_token: false });
    expect(answer.status).toBe(201);
    expect(answer.body).toStrictEqual({
      ...wanted,
      tenant_id: tenant.id,
      fingerprint: expect.stringMatching(/^[A-Za-z0-9]{1,100}$/),
      created_by: await applicationOf(tenant.keys.reveal),
      created_at: expect.stringMatching(utcTimestamp),
    });
  });

  it('leaves out what was not set, and assigns a UUID of version 4', async () => {
    const answer = await tokens.create({ type: 'token', data: 'Sensitive Value' });
    expect(answer.body).toStrictEqual({
      id: expect.stringMatching(uuidV4),
      tenant_id: tenant.id,
      type: 'token',
      data: 'Sensitive Value',
      fingerprint: expect.stringMatching(/^[A-Za-z0-9]{1,100}$/),
      fingerprint_expression: '{{ data | stringify }}',
      containers: ['/general/high/'],
      created_by: await applicationOf(tenant.keys.reveal),
      created_at: expect.stringMatching(utcTimestamp),
    });
  });

  it('names the place of the token, is JSON and is not to be cached', async () => {
    const answer = await tokens.create({ id: `a b ${crypto.randomUUID()}`, type: 'token', data: 1 });
    expect(answer.headers.get('location')).toBe(`/tokens/${encodeURIComponent(tokenOf(answer).id)}`);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const read = await vault.request('GET', answer.headers.get('location') ?? '', { key: tenant.keys.reveal });
    expect(read.body).toStrictEqual(answer.body);
  });

  it.each([
    ['a string', 'x'],
    ['nothing', ''],
    ['an integer', 7],
    ['a fraction', 0.5],
    ['true', true],
    ['false', false],
    ['null', null],
    ['a list', [1, 'a', null]],
    ['an empty object', {}],
    ['an object', { a: { b: [] } }],
  ])('keeps data that is %s', async (_name, data) => {
    const answer = await tokens.create({ type: 'token', data });
    expect(answer).toMatchObject({ status: 201, body: { data } });
    expect((await tokens.get(tokenOf(answer).id)).body).toStrictEqual(answer.body);
  });

  it('takes null for a field that is left out', async () => {
    const answer = await tokens.create({
      type: 'token',
      data: 'x',
      id: null,
      containers: null,
      metadata: null,
      search_indexes: null,
      fingerprint_expression: null,
      deduplicate_token: null,
      expires_at: null,
    });
    expect(answer.status).toBe(201);
    const plain = await tokens.create({ type: 'token', data: 'x' });
    expect(Object.keys(answer.body as object)).toStrictEqual(Object.keys(plain.body as object));
    expect(tokenOf(answer)).toMatchObject({ containers: ['/general/high/'], fingerprint: tokenOf(plain).fingerprint });
  });

  it('ignores properties that it does not know', async () => {
    const unknown = {
      privacy: { impact_level: 'low' },
      tenant_id: crypto.randomUUID(),
      created_by: crypto.randomUUID(),
      created_at: '2001-01-01',
      fingerprint: 'mine',
      version: 9,
    };
    const answer = await tokens.create({ type: 'token', data: 'ignored', ...unknown });
    const plain = await tokens.create({ type: 'token', data: 'ignored' });
    const { id: _, created_at: __, ...shown } = tokenOf(answer);
    expect(answer.status).toBe(201);
    expect(plain.body).toMatchObject(shown);
  });

  it('keeps empty metadata, and says so', async () => {
    expect((await tokens.create({ type: 'token', data: 1, metadata: {} })).body).toMatchObject({ metadata: {} });
  });

  it('keeps names of metadata that mean something elsewhere', async () => {
    const rawBody = '{"type":"token","data":1,"metadata":{"__proto__":"a","constructor":"b","Ünï 👍":"c"}}';
    const answer = await vault.request('POST', '/tokens', { key: tenant.keys.reveal, rawBody });
    expect(answer.status).toBe(201);
    const read = await tokens.get(tokenOf(answer).id);
    const pairs = Object.entries(tokenOf(read).metadata ?? {}).map((pair) => pair.join('='));
    expect(pairs.sort()).toStrictEqual(['__proto__=a', 'constructor=b', 'Ünï 👍=c']);
  });

  it('lower-cases containers and keeps each of them once, in their order', async () => {
    const containers = ['/Orders/EU_1/', '/a-b/', '/orders/eu_1/', '/'];
    const answer = await tokens.create({ type: 'token', data: 1, containers });
    expect(answer.body).toMatchObject({ containers: ['/orders/eu_1/', '/a-b/', '/'] });
  });

  it('leaves one record, which holds nothing of the token but its id and containers', async () => {
    const { id } = await tokens.make({ ...everything() });
    const records = await recordsOf(vault, tenant, id);
    expect(records).toMatchObject([
      {
        entity_type: 'token',
        entity_id: id,
        operation: 'create',
        outcome: 'success',
        actor_type: 'application',
        actor_id: await applicationOf(tenant.keys.reveal),
        containers: ['/orders/high/'],
      },
    ]);
    expect(JSON.stringify(records)).not.toMatch(/Ada|DE00123/);
  });

  it.each([
    ['card', { number: '4242424242424242' }, 'card'],
    ['bank', { routing_number: '021000021', account_number: '1234' }, 'bank'],
    ['card_number', '4242424242424242', 'token'],
  ])('records a %s as what it is', async (type, data, entityType) => {
    const { id } = await tokens.make({ type, data });
    expect(await recordsOf(vault, tenant, id)).toMatchObject([{ entity_type: entityType, operation: 'create' }]);
  });

  it('stores the data only as ciphertext', async () => {
    const { id } = await tokens.make({ data: 'Extremely Sensitive', search_indexes: ['{{ data }}'] });
    const { rows } = await vault.database.owner.query(
      `select t::text || coalesce((select string_agg(x::text, '') from token_terms x where x.token_id = t.id), '') as row
       from tokens t where id = $1`,
      [id],
    );
    const text = (rows[0] as { row: string }).row;
    expect(text).not.toContain('Sensitive');
    expect(text).not.toContain(Buffer.from('Sensitive').toString('hex'));
    expect(vault.logLines.join()).not.toContain('Sensitive');
  });
});

describe('POST /tokens 400', () => {
  it.each([
    ['type', { data: 1 }],
    ['type', { type: null, data: 1 }],
    ['type', { type: '', data: 1 }],
    ['type', { type: 'Token', data: 1 }],
    ['type', { type: 'constructor', data: 1 }],
    ['type', { type: '__proto__', data: 1 }],
    ['type', { type: 'x'.repeat(51), data: 1 }],
    ['data', { type: 'token' }],
    ['id', { type: 'token', data: 1, id: 7 }],
    ['containers', { type: 'token', data: 1, containers: '/a/' }],
    ['metadata', { type: 'token', data: 1, metadata: ['a'] }],
    ['metadata', { type: 'token', data: 1, metadata: 'a' }],
    ['search_indexes', { type: 'token', data: 1, search_indexes: '{{ data }}' }],
    ['search_indexes.0', { type: 'token', data: 1, search_indexes: [1] }],
    ['fingerprint_expression', { type: 'token', data: 1, fingerprint_expression: {} }],
    ['deduplicate_token', { type: 'token', data: 1, deduplicate_token: 'true' }],
    ['expires_at', { type: 'token', data: 1, expires_at: 4_000_000_000 }],
    ['body', []],
    ['body', 'text'],
    ['body', null],
  ])('names %s of %j', async (field, body) => {
    const answer = await tokens.create(body);
    expect(answer).toMatchObject({ status: 400, body: { title: 'One or more validation errors occurred.' } });
    expect(fieldsOf(answer)).toContain(field);
  });

  it('names every wrong field at once', async () => {
    const answer = await tokens.create({
      type: 'card',
      data: { number: '4242424242424241', expiration_month: 13, cvc: 1 },
    });
    expect(fieldsOf(answer).sort()).toStrictEqual(['data.cvc', 'data.expiration_month', 'data.number']);
  });

  it('never repeats a value that was sent', async () => {
    const secret = 'Very-Secret-Value';
    const answers = await Promise.all([
      tokens.create({ type: 'card', data: { number: secret } }),
      tokens.create({ type: 'token', data: 1, expires_at: secret }),
      tokens.create({ type: 'token', data: 1, containers: [secret] }),
      tokens.create({ type: 'token', data: 1, id: `${secret}/` }),
      tokens.create({ type: 'token', data: 1, metadata: { a: secret.repeat(50) } }),
      tokens.create({ type: 'token', data: secret, mask: '{{ data | to_number }}' }),
      tokens.create({ type: 'token', data: secret, search_indexes: ['{{ data | to_number }}'] }),
      tokens.create({ type: 'token', data: secret, fingerprint_expression: '{{ data | to_number }}' }),
      tokens.create({ type: 'token', data: secret, mask: `{{ data | hmac: 'sha-256', '${secret}' }}` }),
      vault.request('POST', '/tokens', { key: tenant.keys.reveal, rawBody: `{"type":"token","data":${secret}}` }),
    ]);
    expect(answers.map(({ status }) => status)).toStrictEqual(answers.map(() => 400));
    expect(answers.map(({ text }) => text).join()).not.toContain(secret);
    expect(vault.logLines.join()).not.toContain(secret);
  });

  it('stores nothing and leaves no record', async () => {
    const own = await vault.makeTenant();
    const before = await vault.auditRecords(own.id);
    const answers = await Promise.all(
      [
        { type: 'token' },
        { type: 'card', data: {} },
        { type: 'token', data: 'x', mask: '{{ data | to_number }}' },
        { type: 'token', data: '', search_indexes: ['{{ data }}'] },
        { type: 'token', data: 'x', id: 'a/b' },
      ].map((body) => tokens.create(body, { key: own.keys.reveal })),
    );
    expect(answers.map(({ status }) => status)).toStrictEqual([400, 400, 400, 400, 400]);
    expect(await countTokens(own.id)).toBe(0);
    expect(await vault.auditRecords(own.id)).toStrictEqual(before);
  });
});

describe('POST /tokens 401, 403 and 409', () => {
  it('401 wants a key before it looks at anything', async () => {
    const answer = await vault.request('POST', '/tokens', { rawBody: 'nonsense' });
    expect(answer).toMatchObject({ status: 401, body: { title: 'Unauthorized' } });
  });

  it('403 refuses an application without the permission, and stores nothing', async () => {
    const own = await vault.makeTenant();
    const { key } = await createApplication(vault, own, {
      permissions: ['token:read', 'token:update', 'token:delete'],
    });
    const answer = await tokens.create({ type: 'token', data: 1 }, { key });
    expect(answer).toMatchObject({ status: 403, body: { detail: 'Missing permission: token:create' } });
    expect(await countTokens(own.id)).toBe(0);
  });

  it('403 names the first container that no rule covers, and stores nothing', async () => {
    const own = await vault.makeTenant();
    const rules = [{ priority: 1, container: '/a/', transform: 'reveal', permissions: ['token:create'] }];
    const { key } = await createApplication(vault, own, { permissions: [], rules });
    const answer = await tokens.create({ type: 'token', data: 1, containers: ['/a/b/', '/b/', '/'] }, { key });
    expect(answer).toMatchObject({
      status: 403,
      body: { detail: 'Missing permission: token:create on container /b/' },
    });
    const byDefault = await tokens.create({ type: 'card', data: { number: '4242424242424242' } }, { key });
    expect(byDefault).toMatchObject({
      status: 403,
      body: { detail: 'Missing permission: token:create on container /pci/high/' },
    });
    expect(await countTokens(own.id)).toBe(0);
    expect((await tokens.create({ type: 'token', data: 1, containers: ['/a/', '/a/b/'] }, { key })).status).toBe(201);
  });

  it('409 belongs to the tenant: another one may use the same id', async () => {
    const other = await vault.makeTenant();
    const { id } = await tokens.make({ id: `shared-${crypto.randomUUID()}`, data: 'ours' });
    expect((await tokens.create({ id, type: 'token', data: 'theirs' }, { key: other.keys.reveal })).status).toBe(201);
    expect((await tokens.create({ id, type: 'token', data: 'ours again' })).status).toBe(409);
    expect((await tokens.get(id)).body).toMatchObject({ data: 'ours' });
    expect((await tokens.get(id, { key: other.keys.reveal })).body).toMatchObject({ data: 'theirs' });
  });
});

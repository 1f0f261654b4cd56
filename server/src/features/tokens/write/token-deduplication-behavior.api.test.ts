import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication, recordsOf } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../../../../test/harness/token-endpoints.ts';
import { compileSchema } from '../../../http/parameters/validation.ts';
import { DeduplicatedTokenView } from '../model/token-schemas.ts';

let vault: TestVault;
let updating: TestTenant;
let tokens: TokenEndpoints;
beforeAll(async () => {
  vault = await TestVault.start();
  updating = await settled({ token_deduplication_behavior: 'update_existing' });
  tokens = new TokenEndpoints(vault, updating.keys.reveal);
});
afterAll(() => vault.stop());

async function settled(settings: Readonly<Record<string, string>>): Promise<TestTenant> {
  const tenant = await vault.makeTenant();
  const body = { name: 'Own', settings };
  expect((await vault.request('PUT', '/tenants/self', { key: tenant.keys.management, body })).status).toBe(200);
  return tenant;
}
const uniqueValue = () => `value ${crypto.randomUUID()}`;
const again = (data: unknown, rest: object = {}) => ({ type: 'token', data, deduplicate_token: true, ...rest });
const tokenize = (body: unknown, key = updating.keys.reveal) => vault.request('POST', '/tokenize', { key, body });
const claims = async () => (await vault.database.owner.query('select * from token_fingerprints')).rows;
const countOf = async (tenant: TestTenant) =>
  (await vault.database.owner.query('select id from tokens where tenant_id = $1', [tenant.id])).rows.length;

describe('_extras', () => {
  it('says in a response that no token was created, and is not there otherwise', async () => {
    const data = uniqueValue();
    const extras = { _extras: { deduplicated: true } };
    expect((await tokens.create(again(data))).body).not.toHaveProperty('_extras');
    expect((await tokens.create(again(data))).body).toMatchObject(extras);
    expect((await tokens.get(tokenOf(await tokens.create(again(data))).id)).body).not.toHaveProperty('_extras');
    expect((await tokens.create(again(data, { deduplicate_token: false }))).body).not.toHaveProperty('_extras');
  });

  it('is in token objects of a tokenization, for equal ones within it as well', async () => {
    const [known, other] = [uniqueValue(), uniqueValue()];
    const { id } = await tokens.make({ data: known });
    const answer = await tokenize({
      known: again(known),
      first: again(other),
      second: again(other),
      leaf: uniqueValue(),
    });
    expect(answer).toMatchObject({ status: 200, body: { known: { id }, leaf: expect.any(String) } });
    const { known: found, first, second } = answer.body as Record<string, { id: string }>;
    expect(found).toHaveProperty('_extras', { deduplicated: true });
    expect(first).not.toHaveProperty('_extras');
    expect(second).toStrictEqual({ ...first, _extras: { deduplicated: true } });
  });
});

describe('the response of a deduplicated create', () => {
  const view = compileSchema(DeduplicatedTokenView);

  it.each(['reveal', 'private', 'public'] as const)('fits its description for a %s key', async (name) => {
    const tenant = await vault.makeTenant();
    const key = tenant.keys[name];
    const data = uniqueValue();
    await tokens.make({ data, containers: ['/hidden/'] }, { key: tenant.keys.reveal });
    const answer = await tokens.create(again(data), { key });
    expect(answer.status).toBe(200);
    expect(view.Check(answer.body)).toBe(true);
  });

  it('shows a caller without read access the fingerprint that a new token would have shown it', async () => {
    const data = uniqueValue();
    await tokens.make({ data, containers: ['/general/high/'] }, { key: updating.keys.reveal });
    const { key } = await createApplication(vault, updating, { permissions: ['token:create', 'token:update'] });
    const found = await tokens.create(again(data), { key });
    const made = await tokens.create(again(data, { deduplicate_token: false }), { key });
    expect(found.status).toBe(200);
    expect(tokenOf(found)).toHaveProperty('fingerprint', tokenOf(made).fingerprint);
  });

  it('is given to nobody who is not shown fingerprints, if the tenant keeps them to revealed views', async () => {
    const data = uniqueValue();
    const strict = await settled({ fingerprint_visibility: 'reveal', deduplicate_tokens: 'true' });
    const { id } = await tokens.make({ data }, { key: strict.keys.reveal });
    for (const key of [strict.keys.private, strict.keys.public]) {
      expect(await tokens.create(again(data), { key })).toMatchObject({ status: 403 });
      const made = await tokens.create({ type: 'token', data }, { key });
      expect(made.status).toBe(201);
      expect(tokenOf(made).id).not.toBe(id);
    }
    expect(tokenOf(await tokens.create(again(data), { key: strict.keys.reveal })).id).toBe(id);
  });
});

describe('token_deduplication_behavior update_existing', () => {
  it('200 gives the existing token data, metadata, mask and expiry of the request, and records an update', async () => {
    const by = { fingerprint_expression: '{{ data.key }}' };
    const first = await tokens.make({
      data: { key: uniqueValue(), note: 'old', gone: true },
      metadata: { a: 'old', b: 'old' },
      mask: 'old',
      expires_at: '2050-01-01',
      ...by,
    });
    const data = { key: (first.data as { key: string }).key, note: 'new' };
    const request = again(data, { metadata: { a: 'new' }, mask: 'new', expires_at: '2060-01-01', ...by });
    const answer = await tokens.create(request);
    expect(answer.status).toBe(200);
    const changed = { ...first, data, metadata: { a: 'new' }, mask: 'new', expires_at: '2060-01-01T00:00:00+00:00' };
    const modified = { modified_by: first.created_by, modified_at: expect.any(String) };
    expect(answer.body).toStrictEqual({ ...changed, ...modified, _extras: { deduplicated: true } });
    expect((await tokens.get(first.id)).body).toStrictEqual({ ...changed, ...modified });
    const records = await recordsOf(vault, updating, first.id);
    expect(records.map(({ operation }) => operation)).toStrictEqual(['create', 'update', 'read']);
  });

  it('200 takes back what the request leaves out', async () => {
    const data = uniqueValue();
    const full = { metadata: { a: 'b' }, mask: 'x', expires_at: '2050-01-01', search_indexes: ['{{ data }}'] };
    const { id } = await tokens.make({ data, ...full });
    await tokens.create(again(data));
    for (const name of Object.keys(full)) expect((await tokens.get(id)).body).not.toHaveProperty(name);
  });

  it('200 replaces the verification code of a card with that of the request, or with none', async () => {
    const number = '4242424242424242';
    const card = (more: object) => ({ type: 'card', data: { number, ...more }, deduplicate_token: true });
    const { id } = tokenOf(await tokens.create(card({ cvc: '111' })));
    await tokens.create(card({ cvc: '222' }));
    expect((await tokens.get(id)).body).toMatchObject({ data: { cvc: '222' } });
    await tokens.create(card({ expiration_month: 7 }));
    expect((await tokens.get(id)).body).toMatchObject({ data: { number, expiration_month: 7 } });
    expect((await tokens.get(id)).text).not.toContain('cvc');
  });

  it('200 is found by what it holds now, and by nothing that it held before', async () => {
    const data = uniqueValue();
    const { id } = await tokens.make({ data, metadata: { order: 'before' } });
    await tokens.create(again(data, { metadata: { order: 'after' } }));
    const found = async (order: string) =>
      (await vault.request('GET', `/tokens?metadata.order=${order}`, { key: updating.keys.reveal })).body;
    expect(await found('after')).toMatchObject({ data: [{ id }] });
    expect(await found('before')).toMatchObject({ data: [] });
  });

  it('200 in a tokenization updates and creates together', async () => {
    const [known, other] = [uniqueValue(), uniqueValue()];
    const { id } = await tokens.make({ data: known, metadata: { n: '1' } });
    const answer = await tokenize([
      again(known, { metadata: { n: '2' } }),
      again(other),
      again(known, { metadata: { n: '2' } }),
    ]);
    expect(answer).toMatchObject({
      status: 200,
      body: [{ id, metadata: { n: '2' } }, {}, { id, metadata: { n: '2' } }],
    });
    expect((await tokens.get(id)).body).toMatchObject({ metadata: { n: '2' } });
  });

  it('400 refuses a tokenization that says two things about one content, and writes nothing', async () => {
    const [known, other] = [uniqueValue(), uniqueValue()];
    const { id } = await tokens.make({ data: known, metadata: { n: '1' } });
    for (const data of [known, other]) {
      const answer = await tokenize([again(data, { metadata: { n: '2' } }), again(data, { metadata: { n: '3' } })]);
      expect(answer).toMatchObject({ status: 400, body: { errors: { '1.data': [expect.any(String)] } } });
    }
    expect((await tokens.get(id)).body).toMatchObject({ metadata: { n: '1' } });
  });

  it('403 needs token:update on the token, names it, and leaves everything as it was', async () => {
    const data = uniqueValue();
    const { id } = await tokens.make({ data });
    const { key } = await createApplication(vault, updating, { permissions: ['token:create', 'token:read'] });
    const answer = await tokens.create(again(data, { metadata: { a: 'b' } }), { key });
    expect(answer).toMatchObject({
      status: 403,
      body: { detail: 'Missing permission: token:update on container /general/high/' },
    });
    expect((await tokens.get(id)).body).not.toHaveProperty('metadata');
    const denied = (await recordsOf(vault, updating, id)).filter(({ outcome }) => outcome !== 'success');
    expect(denied).toHaveLength(1);
  });

  it('201 creates a token where the request wants it, if the one that is there is elsewhere', async () => {
    const data = uniqueValue();
    const { id } = await tokens.make({ data, containers: ['/a/', '/b/'] });
    for (const containers of [['/a/'], ['/a/', '/b/', '/c/']]) {
      const made = await tokens.create(again(data, { containers, metadata: { n: '2' } }));
      expect(made).toMatchObject({ status: 201, body: { containers } });
    }
    expect((await tokens.get(id)).body).not.toHaveProperty('metadata');
  });

  it('400 refuses another behaviour', async () => {
    const body = { name: 'Own', settings: { token_deduplication_behavior: 'replace' } };
    const answer = await vault.request('PUT', '/tenants/self', { key: updating.keys.management, body });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        errors: { 'settings.token_deduplication_behavior': ['must be one of return_existing, update_existing'] },
      },
    });
  });
});

describe('writers who meet', () => {
  it('make one token of 100 equal ones across two servers that update, each in its turn', async () => {
    const own = await settled({ token_deduplication_behavior: 'update_existing' });
    const { url } = await vault.startAnother();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        tokens.create(again('the same', { metadata: { n: String(index) } }), {
          key: own.keys.reveal,
          ...(index % 2 === 0 ? {} : { url }),
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(99);
    expect(await countOf(own)).toBe(1);
    const { rows } = await vault.database.owner.query('select version from tokens where tenant_id = $1', [own.id]);
    expect(rows).toStrictEqual([{ version: 100 }]);
    expect(await claims()).toStrictEqual([]);
  });

  it('never lose a token: creates against deletions of the same value', async () => {
    const own = await vault.makeTenant();
    const key = own.keys.reveal;
    const alive = new Set<string>();
    await Promise.all(
      Array.from({ length: 60 }, async () => {
        const { status, body } = await tokens.create(again('the same'), { key });
        const { id } = body as { id: string };
        if (status === 201) alive.add(id);
        if ((await tokens.delete(id, { key })).status === 204) alive.delete(id);
      }),
    );
    expect([...alive]).toStrictEqual([]);
    expect(await countOf(own)).toBe(0);
    const last = await Promise.all(Array.from({ length: 20 }, () => tokens.create(again('the same'), { key })));
    expect(last.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await countOf(own)).toBe(1);
    expect(await claims()).toStrictEqual([]);
  });

  it('do not deadlock on the same values in another order', async () => {
    const own = await vault.makeTenant();
    const values = Array.from({ length: 30 }, () => uniqueValue());
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        tokenize(
          (index % 2 === 0 ? values : values.toReversed()).map((data) => again(data)),
          own.keys.reveal,
        ),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toStrictEqual(new Set([200]));
    expect(await countOf(own)).toBe(values.length);
    expect(await claims()).toStrictEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../../test/harness/deadline.ts';
import { createApplication, recordsOf } from '../../../../test/harness/test-application.ts';
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

/** A value that no other test has. */
const uniqueValue = () => `value ${crypto.randomUUID()}`;
const again = (data: unknown, rest: object = {}) => ({ type: 'token', data, deduplicate_token: true, ...rest });
const callAs = async (wanted: Readonly<Record<string, unknown>>) =>
  new TokenEndpoints(vault, (await createApplication(vault, tenant, wanted)).key);
const countOf = async (tenantId: string) => {
  const { rows } = await vault.database.owner.query('select count(*)::int as tokens from tokens where tenant_id = $1', [
    tenantId,
  ]);
  return (rows[0] as { tokens: number }).tokens;
};

describe('POST /tokens with deduplicate_token', () => {
  it('200 answers with the token that has the value already, makes none, and records a reading', async () => {
    const data = uniqueValue();
    const first = await tokens.create(again(data, { metadata: { a: 'first' } }));
    expect(first.status).toBe(201);
    const second = await tokens.create(again(data, { metadata: { a: 'second' }, containers: ['/elsewhere/'] }));
    expect(second.status).toBe(200);
    expect(second.body).toStrictEqual({ ...tokenOf(first), _extras: { deduplicated: true } });
    expect(first.body).not.toHaveProperty('_extras');
    expect(second.headers.get('location')).toBeNull();
    const records = await recordsOf(vault, tenant, tokenOf(first).id);
    expect(records.map(({ operation }) => operation)).toStrictEqual(['create', 'read']);
  });

  it('200 finds a token that was made without the wish', async () => {
    const data = uniqueValue();
    const { id } = await tokens.make({ data });
    expect(await tokens.create(again(data))).toMatchObject({ status: 200, body: { id } });
  });

  it('200 finds the oldest of several', async () => {
    const data = uniqueValue();
    const made = [await tokens.make({ data }), await tokens.make({ data }), await tokens.make({ data })];
    const id = made[1]?.id ?? '';
    await vault.database.owner.query(`update tokens set created_at = created_at - interval '1 day' where id = $1`, [
      id,
    ]);
    expect(await tokens.create(again(data))).toMatchObject({ status: 200, body: { id } });
  });

  it('200 does not claim the id that was wished for', async () => {
    const data = uniqueValue();
    const wished = `wish-${crypto.randomUUID()}`;
    const { id } = await tokens.make({ data });
    expect(await tokens.create(again(data, { id: wished }))).toMatchObject({ status: 200, body: { id } });
    expect((await tokens.get(wished)).status).toBe(404);
    expect((await tokens.create(again(uniqueValue(), { id: wished }))).status).toBe(201);
  });

  it('200 shows what both the creating and the reading let the caller see', async () => {
    const data = uniqueValue();
    await tokens.make({ data, mask: 'masked' });
    const found = (caller: TokenEndpoints) => caller.create(again(data));
    const rule = (transform: string, ...permissions: string[]) => ({
      priority: permissions.length,
      container: '/',
      transform,
      permissions,
    });
    const revealing = await callAs({ permissions: [], rules: [rule('reveal', 'token:create', 'token:read')] });
    expect((await found(revealing)).body).toMatchObject({ data });
    const masking = await callAs({ permissions: ['token:create'], rules: [rule('reveal', 'token:read')] });
    expect((await found(masking)).body).toMatchObject({ data: 'masked' });
    const readingMasked = await callAs({ permissions: ['token:read'], rules: [rule('reveal', 'token:create')] });
    expect((await found(readingMasked)).body).toMatchObject({ data: 'masked' });
  });

  it('200 tells who may not read it only what identifies it', async () => {
    const data = uniqueValue();
    const full = { mask: 'masked', metadata: { a: 'b' }, search_indexes: ['{{ data }}'], expires_at: '2050-01-01' };
    const { id, fingerprint } = await tokens.make({ data, ...full, containers: ['/hidden/'] });
    const identity = { id, type: 'token', tenant_id: tenant.id, containers: ['/hidden/'] };
    const reduced = { ...identity, fingerprint, _extras: { deduplicated: true } };
    const withoutRead = await tokens.create(again(data), { key: tenant.keys.public });
    expect(withoutRead.status).toBe(200);
    expect(withoutRead.body).toStrictEqual({ ...identity, _extras: { deduplicated: true } });
    const rules = [{ priority: 1, container: '/seen/', transform: 'reveal', permissions: ['token:read'] }];
    const elsewhere = await callAs({ permissions: ['token:create'], rules });
    expect((await elsewhere.create(again(data))).body).toStrictEqual(reduced);
  });

  it('201 makes another one of another type, of another tenant, or of another fingerprint', async () => {
    const data = '021000021';
    const other = await vault.makeTenant();
    expect((await tokens.create(again(data))).status).toBe(201);
    expect((await tokens.create(again(data, { type: 'us_bank_routing_number' }))).status).toBe(201);
    expect((await tokens.create(again(data), { key: other.keys.reveal })).status).toBe(201);
    expect((await tokens.create(again(data, { fingerprint_expression: 'x{{ data }}' }))).status).toBe(201);
    expect((await tokens.create(again(data))).status).toBe(200);
  });

  it('201 makes another one each time where there is nothing to compare', async () => {
    const body = again({}, { fingerprint_expression: '{{ data.missing }}' });
    expect((await tokens.create(body)).status).toBe(201);
    expect((await tokens.create(body)).status).toBe(201);
  });

  it('201 does not find a deleted token', async () => {
    const data = uniqueValue();
    const { id } = tokenOf(await tokens.create(again(data)));
    await tokens.delete(id);
    const answer = await tokens.create(again(data));
    expect(answer.status).toBe(201);
    expect(tokenOf(answer).id).not.toBe(id);
  });

  it('201 does not find an expired token', async () => {
    const data = uniqueValue();
    const { id } = tokenOf(await tokens.create(again(data, { expires_at: '2050-01-01' })));
    await vault.database.owner.query(`update tokens set expires_at = now() where id = $1`, [id]);
    const answer = await tokens.create(again(data));
    expect(answer.status).toBe(201);
    expect(tokenOf(answer).id).not.toBe(id);
  });

  it('201 does not find a token whose value was changed, and finds the one that took the value on', async () => {
    const [before, after] = [uniqueValue(), uniqueValue()];
    const { id } = tokenOf(await tokens.create(again(before)));
    await tokens.patch(id, { data: after });
    expect(await tokens.create(again(after))).toMatchObject({ status: 200, body: { id } });
    expect((await tokens.create(again(before))).status).toBe(201);
  });

  it('409 refuses a taken id for a new value', async () => {
    const { id } = await tokens.make({ data: uniqueValue() });
    expect((await tokens.create(again(uniqueValue(), { id }))).status).toBe(409);
  });

  it('follows the setting of the tenant unless the request says otherwise', async () => {
    const own = await vault.makeTenant();
    const ours = new TokenEndpoints(vault, own.keys.reveal);
    const settings = { deduplicate_tokens: 'true' };
    await vault.request('PUT', '/tenants/self', { key: own.keys.management, body: { name: 'Own', settings } });
    await untilTrue(async () => (await ours.create({ type: 'token', data: 'probe' })).status === 200, {
      waitingFor: 'the setting to be heard of',
    });
    const data = uniqueValue();
    const { id } = await ours.make({ data });
    expect(await ours.create({ type: 'token', data })).toMatchObject({ status: 200, body: { id } });
    expect(await ours.create({ type: 'token', data, deduplicate_token: null })).toMatchObject({
      status: 200,
      body: { id },
    });
    expect((await ours.create({ type: 'token', data, deduplicate_token: false })).status).toBe(201);
  });

  it('makes one token of 200 equal ones that arrive together', async () => {
    const own = await vault.makeTenant();
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => tokens.create(again('the same'), { key: own.keys.reveal })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(199);
    expect(new Set(answers.map((answer) => tokenOf(answer).id)).size).toBe(1);
    expect(await countOf(own.id)).toBe(1);
    const creations = (await vault.auditRecords(own.id)).filter(
      ({ entity_type, operation }) => entity_type === 'token' && operation === 'create',
    );
    expect(creations).toHaveLength(1);
  });

  it('makes one token of 60 equal ones where the value was known before and its token is gone', async () => {
    const own = await vault.makeTenant();
    const options = { key: own.keys.reveal };
    const before = tokenOf(await tokens.create(again('the same'), options));
    await tokens.delete(before.id, options);
    const answers = await Promise.all(Array.from({ length: 60 }, () => tokens.create(again('the same'), options)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await countOf(own.id)).toBe(1);
  });

  it('makes one token of each value across two servers', async () => {
    const own = await vault.makeTenant();
    const { url } = await vault.startAnother();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        tokens.create(again(`value ${index % 5}`), { key: own.keys.reveal, ...(index % 2 === 0 ? {} : { url }) }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(35);
    expect(await countOf(own.id)).toBe(5);
  });
});

describe('PATCH /tokens/{id} into a duplicate', () => {
  const hidden = { containers: ['/hidden/'] };
  const updater = () =>
    callAs({
      permissions: ['token:update'],
      rules: [{ priority: 1, container: '/seen/', transform: 'reveal', permissions: ['token:read', 'token:update'] }],
    });
  const seen = (data: unknown) => ({
    data,
    containers: ['/seen/'],
    mask: 'masked',
    metadata: { a: 'b' },
    search_indexes: ['{{ data }}'],
    expires_at: '2050-01-01',
  });

  it('200 drops what would tell of the other token, where the caller cannot read that one', async () => {
    const [mine, theirs] = [uniqueValue(), uniqueValue()];
    const other = await tokens.make({ data: theirs, ...hidden });
    const { id } = await tokens.make({ ...seen(mine) });
    const answer = await (await updater()).patch(id, { data: theirs, deduplicate_token: true });
    expect(answer.status).toBe(200);
    expect(answer.body).toStrictEqual({
      id,
      tenant_id: tenant.id,
      type: 'token',
      fingerprint: other.fingerprint,
      containers: ['/seen/'],
      created_by: expect.any(String),
      created_at: expect.any(String),
      modified_by: expect.any(String),
      modified_at: expect.any(String),
      expires_at: '2050-01-01T00:00:00+00:00',
    });
    expect((await tokens.get(id)).body).toMatchObject({ data: theirs, metadata: { a: 'b' } });
  });

  it('200 drops it where any of several is hidden, however many the caller can read', async () => {
    const data = uniqueValue();
    await tokens.make({ data, containers: ['/seen/'] });
    await tokens.make({ data, containers: ['/seen/'] });
    await tokens.make({ data, ...hidden });
    const { id } = await tokens.make({ ...seen(uniqueValue()) });
    const answer = await (await updater()).patch(id, { data, deduplicate_token: true });
    expect(answer.status).toBe(200);
    expect(answer.body).not.toHaveProperty('data');
  });

  it('200 drops what is read off a card, too', async () => {
    const number = '5555555555554444';
    await tokens.make({ type: 'card', data: { number }, ...hidden });
    const { id } = await tokens.make({ type: 'card', data: { number: '4242424242424242' }, containers: ['/seen/'] });
    const answer = await (await updater()).patch(id, { data: { number }, deduplicate_token: true });
    expect(answer.status).toBe(200);
    const shown = [
      'id',
      'tenant_id',
      'type',
      'fingerprint',
      'containers',
      'created_by',
      'created_at',
      'modified_by',
      'modified_at',
    ];
    expect(Object.keys(answer.body as object)).toStrictEqual(shown);
  });

  it('200 shows the token where there is no wish, no duplicate, or none that is hidden', async () => {
    const caller = await updater();
    const [value, other] = [uniqueValue(), uniqueValue()];
    await tokens.make({ data: value, ...hidden });
    const { id } = await tokens.make({ ...seen(uniqueValue()) });
    expect((await caller.patch(id, { data: value })).body).toMatchObject({ data: value });
    expect((await caller.patch(id, { data: uniqueValue(), deduplicate_token: true })).body).toHaveProperty('data');
    await tokens.make({ data: other, containers: ['/seen/too/'] });
    expect((await caller.patch(id, { data: other, deduplicate_token: true })).body).toMatchObject({ data: other });
  });

  it('200 lets two tokens have one value: an update never merges tokens', async () => {
    const data = uniqueValue();
    const first = await tokens.make({ data });
    const second = await tokens.make({ data: uniqueValue() });
    const answer = await tokens.patch(second.id, { data, deduplicate_token: true });
    expect(answer).toMatchObject({ status: 200, body: { id: second.id, data, fingerprint: first.fingerprint } });
    expect((await tokens.get(first.id)).body).toMatchObject({ data });
  });
});

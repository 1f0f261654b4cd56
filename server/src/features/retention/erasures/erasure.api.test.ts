import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createToken, listStored } from '../../../../test/harness/aged-tokens.ts';
import { type TestErasure, TestErasures } from '../../../../test/harness/erasures.ts';
import { FourEyesTenant, requestIn } from '../../../../test/harness/four-eyes.ts';
import { makeLimitedKey, ruleOn } from '../../../../test/harness/limited-key.ts';
import { signerOf } from '../../../../test/harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { openErasuresMax } from './erasure.ts';
import { digestOf } from './erasure-query.ts';
import { checkReceipt } from './receipt-check.ts';

let vault: TestVault;
let tenant: TestTenant;
let erasures: TestErasures;
beforeAll(async () => {
  vault = await TestVault.start();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
  erasures = new TestErasures(vault, tenant);
});
afterAll(() => vault.stop());

const owner = () => vault.database.owner;
const create = (body: object = {}) => createToken(vault, tenant, { type: 'token', data: 'x', ...body });
const publicKey = () => signerOf(vault.server).publicKey;

describe('an erasure', () => {
  it('counts first, removes what was confirmed as by hand, and has a receipt that verifies elsewhere', async () => {
    const mine = { metadata: { customer: 'C-1042' } };
    const ids = [await create(mine), await create({ ...mine, search_indexes: ['{{ data }}'] }), await create()];
    const counted = await erasures.ask('POST', '', { metadata: { Customer: 'c-1042' } });
    expect([counted.status, counted.body]).toEqual([201, expect.objectContaining({ status: 'counted', tokens: 2 })]);
    await erasures.run();
    expect(await listStored(vault, ids)).toEqual(ids);

    const { id } = counted.body as TestErasure;
    const confirmed = await erasures.ask('POST', `/${id}/confirm`, { confirmed_tokens: 2 });
    expect(confirmed.body).toMatchObject({ status: 'queued', removed_tokens: 0 });
    await erasures.run();
    expect(await listStored(vault, ids)).toEqual(ids.slice(2));
    expect(await erasures.get(id)).toMatchObject({ status: 'finished', removed_tokens: 2, is_limited: false });
    const { rows } = await owner().query('select from token_terms where token_id = any($1)', [ids.slice(0, 2)]);
    expect(rows).toHaveLength(0);
    const records = (await vault.auditRecords(tenant.id)).filter(({ operation }) => operation === 'delete');
    expect(records.map(({ entity_id }) => String(entity_id)).toSorted()).toEqual(ids.slice(0, 2).toSorted());
    expect(records[0]?.['details']).toContain(id);

    const verdict = await checkReceipt(await erasures.receipt(id), publicKey());
    expect(verdict).toMatchObject({
      problem: undefined,
      head: { erasure_id: id, tenant_id: tenant.id, tokens: 2, held: 0, backups: { kept_days: 35 } },
    });
    expect((await checkReceipt(await erasures.receipt(id), Buffer.alloc(32, 7))).problem).toBeDefined();
  });

  it('forgets the values of its metadata when it is over, and keeps digests that whoever knows a value can recognise', async () => {
    await create({ metadata: { customer: 'canary-1042' } });
    const { id } = await erasures.begin({ metadata: { customer: 'Canary-1042' } });
    await erasures.run();
    expect((await erasures.get(id)).metadata).toEqual({ customer: digestOf(id, 'customer', 'canary-1042') });
    const { rows } = await owner().query<{ text: string }>('select e::text as text from erasures e where id = $1', [
      id,
    ]);
    expect(rows[0]?.text.toLowerCase()).not.toContain('canary');
    const records = JSON.stringify(await vault.auditRecords(tenant.id));
    expect(records.toLowerCase()).not.toContain('canary');
  });

  it('is refused if more tokens match than were confirmed, and leaves those that are created later', async () => {
    const first = await create({ containers: ['/a/'] });
    const counted = (await erasures.ask('POST', '', { container: '/a/' })).body as TestErasure;
    const second = await create({ containers: ['/a/b/'] });
    const refused = await erasures.ask('POST', `/${counted.id}/confirm`, { confirmed_tokens: 1 });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('must be at least 2')]);
    await erasures.ask('POST', `/${counted.id}/confirm`, { confirmed_tokens: 2 });
    const later = await create({ containers: ['/a/'] });
    await erasures.run();
    expect(await listStored(vault, [first, second, later])).toEqual([later]);
  });

  it('leaves tokens under a legal hold, and says how many', async () => {
    const ids = [await create({ containers: ['/a/'] }), await create({ containers: ['/a/'], metadata: { case: '1' } })];
    const hold = { reason: 'Audit', metadata: { case: '1' } };
    await vault.request('POST', '/legal-holds', { key: tenant.keys.management, body: hold });
    const { id, tokens, held_tokens: held } = await erasures.begin({ container: '/a/' });
    expect([tokens, held]).toEqual([1, 1]);
    await erasures.run();
    expect(await listStored(vault, ids)).toEqual(ids.slice(1));
    expect((await checkReceipt(await erasures.receipt(id), publicKey())).head).toMatchObject({ tokens: 1, held: 1 });
  });

  it.each([
    ['nothing', {}],
    ['an unknown type', { type: 'cards' }],
    ['a container that is none', { container: 'a' }],
    ['the root, which is everything', { container: '/' }],
  ])('does not select %s', async (_about, selection) => {
    expect((await erasures.ask('POST', '', selection)).status).toBe(400);
  });

  it('can be cancelled before it has begun, and then has no receipt', async () => {
    const id = await create({ containers: ['/a/'] });
    const begun = await erasures.begin({ container: '/a/' });
    expect((await erasures.ask('POST', `/${begun.id}/cancel`)).body).toMatchObject({ status: 'cancelled' });
    await erasures.run();
    expect(await listStored(vault, [id])).toEqual([id]);
    expect((await erasures.ask('GET', `/${begun.id}/receipt`)).status).toBe(400);
    expect((await erasures.ask('POST', `/${begun.id}/confirm`, { confirmed_tokens: 1 })).status).toBe(400);
    expect((await erasures.ask('POST', `/${begun.id}/cancel`)).status).toBe(400);
  });

  it('of nothing has a receipt as well', async () => {
    const { id } = await erasures.begin({ container: '/empty/' });
    await erasures.run();
    expect((await checkReceipt(await erasures.receipt(id), publicKey())).head).toMatchObject({ tokens: 0 });
  });

  it('is limited in number, also when many are counted at the same time', async () => {
    await owner().query(
      `insert into erasures (tenant_id, id, selection, is_limited, counted, held)
        select $1, gen_random_uuid(), '{"metadata":{}}', false, 0, 0 from generate_series(2, $2)`,
      [tenant.id, openErasuresMax],
    );
    const answers = await Promise.all(Array.from({ length: 4 }, () => erasures.ask('POST', '', { type: 'card' })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400, 400]);
  });
});

describe('the rights to an erasure', () => {
  it('are those of its requester: what it may not find and delete is neither counted nor removed', async () => {
    const [mine, foreign] = [await create({ containers: ['/mine/'] }), await create({ containers: ['/theirs/'] })];
    const limited = await makeLimitedKey(vault, tenant, {
      rules: [ruleOn('/mine/', 'mask', 'token:delete', 'token:search')],
    });
    const counted = await erasures.ask('POST', '', { type: 'token' }, limited);
    expect(counted.body).toMatchObject({ tokens: 1, is_limited: true });
    const { id } = counted.body as TestErasure;
    await erasures.ask('POST', `/${id}/confirm`, { confirmed_tokens: 1 }, limited);
    await erasures.run();
    expect(await listStored(vault, [mine, foreign])).toEqual([foreign]);
  });

  it('end with the rights of its requester, even after the confirmation', async () => {
    const id = await create({ containers: ['/mine/'] });
    const limited = await makeLimitedKey(vault, tenant, {
      rules: [ruleOn('/mine/', 'mask', 'token:delete', 'token:search')],
    });
    const counted = (await erasures.ask('POST', '', { type: 'token' }, limited)).body as TestErasure;
    await erasures.ask('POST', `/${counted.id}/confirm`, { confirmed_tokens: 1 }, limited);
    await owner().query(`delete from application_keys where id = (select created_key from erasures where id = $1)`, [
      counted.id,
    ]);
    await erasures.run();
    expect(await listStored(vault, [id])).toEqual([id]);
    const { rows } = await owner().query('select status, reason from erasures where id = $1', [counted.id]);
    expect(rows).toEqual([{ status: 'stopped', reason: expect.stringContaining('lost the right') }]);
  });

  it('are not shared: an application sees, confirms and cancels only its own', async () => {
    const counted = (await erasures.ask('POST', '', { type: 'token' })).body as TestErasure;
    const other = await makeLimitedKey(vault, tenant, { rules: [ruleOn('/', 'mask', 'token:delete', 'token:search')] });
    const stranger = (await vault.makeTenant()).keys.private;
    for (const key of [other, stranger]) {
      const answers = [
        await erasures.ask('GET', `/${counted.id}`, undefined, key),
        await erasures.ask('POST', `/${counted.id}/confirm`, { confirmed_tokens: 9 }, key),
        await erasures.ask('POST', `/${counted.id}/cancel`, undefined, key),
        await erasures.ask('GET', `/${counted.id}/receipt`, undefined, key),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    }
    const list = (await erasures.ask('GET', '', undefined, other)).body as { data: unknown[] };
    expect(list.data).toEqual([]);
  });

  it('need both token:delete and token:search', async () => {
    for (const permission of ['token:delete', 'token:search']) {
      const key = await makeLimitedKey(vault, tenant, { rules: [ruleOn('/', 'mask', permission)] });
      expect((await erasures.ask('POST', '', { type: 'token' }, key)).status).toBe(403);
    }
    expect((await erasures.ask('POST', '', { type: 'token' }, tenant.keys.management)).status).toBe(403);
  });
});

describe('in a tenant that requires approvals, an erasure', () => {
  it('begins only after other people have approved it', async () => {
    const here = await FourEyesTenant.make(vault);
    const [ann, ben] = here.people;
    const id = await createToken(vault, here.tenant, { type: 'token', data: 'x', containers: ['/a/'] });
    const counted = await here.by(ann, 'POST', '/erasures', { container: '/a/' });
    const below = `/erasures/${String(counted.body['id'])}`;
    const asked = await here.by(ann, 'POST', `${below}/confirm`, { confirmed_tokens: 1 });
    expect([asked.status, asked.body['status']]).toEqual([202, 'awaiting_approval']);
    const run = () => new TestErasures(vault, here.tenant).run();
    await run();
    expect(await listStored(vault, [id])).toEqual([id]);
    expect((await here.by(ben, 'POST', `${below}/confirm`, { confirmed_tokens: 1 })).status).toBe(403);
    expect((await here.decide(ann, 'approve', requestIn(asked))).status).toBe(403);
    expect((await here.decide(ben, 'approve', requestIn(asked))).status).toBe(303);
    await run();
    expect(await listStored(vault, [id])).toEqual([]);
    expect((await here.by(ann, 'GET', below)).body).toMatchObject({ status: 'finished', removed_tokens: 1 });
  });

  it('is cancelled if it is refused', async () => {
    const here = await FourEyesTenant.make(vault);
    const [ann, ben] = here.people;
    const counted = await here.by(ann, 'POST', '/erasures', { container: '/a/' });
    const below = `/erasures/${String(counted.body['id'])}`;
    const asked = await here.by(ann, 'POST', `${below}/confirm`, { confirmed_tokens: 0 });
    expect((await here.decide(ben, 'refuse', requestIn(asked))).status).toBe(303);
    expect((await here.by(ann, 'GET', below)).body).toMatchObject({ status: 'cancelled' });
  });
});

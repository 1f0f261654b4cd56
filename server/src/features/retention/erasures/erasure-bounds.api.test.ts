import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createToken, listStored } from '../../../../test/harness/aged-tokens.ts';
import { type TestErasure, TestErasures } from '../../../../test/harness/erasures.ts';
import { type ApiAnswer, FourEyesTenant, type Person, requestIn } from '../../../../test/harness/four-eyes.ts';
import { type LimitedRule, ruleOn } from '../../../../test/harness/limited-key.ts';
import { signerOf } from '../../../../test/harness/sealed-log.ts';
import { createApplication } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { erasedMax } from './erasure.ts';
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

const customer = { metadata: { customer: 'c-1' } };
const create = (body: object = {}) => createToken(vault, tenant, { type: 'token', data: 'x', ...body });
const createSome = (count: number, body: object = {}) => Promise.all(Array.from({ length: count }, () => create(body)));
const mayErase = (container: string) => ruleOn(container, 'mask', 'token:delete', 'token:search');
const receiptOf = async (id: string) =>
  (await checkReceipt(await erasures.receipt(id), signerOf(vault.server).publicKey)).head;

/** Makes tokens match the selection, as a caller can who may only change tokens. */
async function makeMatch(ids: readonly string[]): Promise<void> {
  const key = (
    await createApplication(vault, tenant, {
      type: 'private',
      rules: [{ priority: 0, ...ruleOn('/', 'mask', 'token:update') }],
    })
  ).key;
  for (const id of ids) {
    const { status, text } = await vault.request('PATCH', `/tokens/${id}`, {
      key,
      body: customer,
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    if (status !== 200) throw new Error(`Not changed: ${text}`);
  }
}

/** Has an application with one rule count and confirm the tokens of the customer. */
async function beginLimited(rule: LimitedRule) {
  const { id, key } = await createApplication(vault, tenant, { type: 'private', rules: [{ priority: 0, ...rule }] });
  const counted = (await erasures.ask('POST', '', customer, key)).body as TestErasure;
  await erasures.ask('POST', `/${counted.id}/confirm`, { confirmed_tokens: counted.tokens }, key);
  const changeTo = async (other: LimitedRule) => {
    const body = { name: 'Changed', permissions: [], rules: [{ priority: 0, ...other }] };
    const { status, text } = await vault.request('PUT', `/applications/${id}`, { key: tenant.keys.management, body });
    if (status !== 200) throw new Error(`Not changed: ${text}`);
  };
  return { applicationId: id, counted, changeTo, end: () => endOf(counted.id) };
}

/** Returns how an erasure ended. */
async function endOf(id: string): Promise<unknown> {
  const { rows } = await vault.database.owner.query<{ status: string; reason: string | null; removed: string }>(
    'select status, reason, removed::int as removed from erasures where id = $1',
    [id],
  );
  return rows[0];
}
const stoppedAt = (removed: number, reason: string) => ({
  status: 'stopped',
  removed,
  reason: expect.stringContaining(reason) as string,
});

describe('an erasure removes no more than was confirmed', () => {
  it('if tokens are changed after the confirmation so that they match', async () => {
    const wanted = await createSome(2, customer);
    const others = await createSome(3);
    const { id } = await erasures.begin(customer);
    await makeMatch(others);
    await erasures.run();
    expect(await endOf(id)).toEqual(stoppedAt(0, 'more tokens match than the 2 tokens that were confirmed'));
    expect(await listStored(vault, [...wanted, ...others])).toEqual([...wanted, ...others]);
  });

  it('if they are changed while a worker removes tokens', async () => {
    const ids = [...(await createSome(2, customer)), ...(await createSome(3))];
    const { id } = await erasures.begin(customer);
    await vault.database.owner.query(`update erasures set status = 'running' where id = $1`, [id]);
    await makeMatch(ids.slice(2));
    await erasures.run();
    expect(await endOf(id)).toEqual(stoppedAt(2, 'more tokens match'));
    expect(await listStored(vault, ids)).toHaveLength(3);
  });

  it('if the rights of its requester are widened', async () => {
    const ids = [
      await create({ ...customer, containers: ['/mine/'] }),
      await create({ ...customer, containers: ['/theirs/'] }),
    ];
    const { changeTo, end } = await beginLimited(mayErase('/mine/'));
    await changeTo(mayErase('/'));
    await erasures.run();
    expect(await end()).toEqual(stoppedAt(0, 'more tokens match than the 1 token that were confirmed'));
    expect(await listStored(vault, ids)).toEqual(ids);
  });

  it('and nobody can confirm more than an erasure may have', async () => {
    const { id } = (await erasures.ask('POST', '', customer)).body as TestErasure;
    const { status, text } = await erasures.ask('POST', `/${id}/confirm`, { confirmed_tokens: erasedMax + 1 });
    expect([status, text]).toEqual([400, expect.stringContaining(`must be at most ${erasedMax}`)]);
  });

  it('and not more than was counted if an earlier version confirmed it', async () => {
    const ids = await createSome(2, customer);
    const { id } = await erasures.begin(customer);
    await vault.database.owner.query('update erasures set confirmed = null where id = $1', [id]);
    await erasures.run();
    expect(await endOf(id)).toMatchObject({ status: 'finished', removed: 2 });
    expect(await listStored(vault, ids)).toEqual([]);
  });
});

describe('who approves an erasure', () => {
  let here: FourEyesTenant;
  let ann: Person;
  let ben: Person;
  let below: string;
  let asked: ApiAnswer;
  /** Counts one token, makes two more match, and confirms all of them. */
  beforeEach(async () => {
    here = await FourEyesTenant.make(vault);
    [ann, ben] = here.people;
    const one = () => createToken(vault, here.tenant, { type: 'token', data: 'x', containers: ['/a/'] });
    await one();
    const counted = await here.by(ann, 'POST', '/erasures', { container: '/a/' });
    await Promise.all([one(), one()]);
    below = `/erasures/${String(counted.body['id'])}`;
    asked = await here.by(ann, 'POST', `${below}/confirm`, { confirmed_tokens: 3 });
  });

  it('sees the number that was confirmed, which may be more than was counted', async () => {
    const { text } = await ben.visitor.get('/portal/approvals');
    expect(text).toContain('Up to 3 tokens would be removed');
    expect(text).toContain('The first count found 1 token.');
  });

  it('approves that number and no other', async () => {
    await vault.database.owner.query('update erasures set confirmed = 50000 where tenant_id = $1', [here.tenant.id]);
    await here.decide(ben, 'approve', requestIn(asked));
    expect((await here.by(ann, 'GET', below)).body).toMatchObject({
      status: 'cancelled',
      approval: { status: 'stale' },
    });
  });
});

describe('the receipt of an erasure is about the run', () => {
  it('with what a hold kept that was set after the count', async () => {
    const ids = await createSome(3, customer);
    const { id, held_tokens: held } = await erasures.begin(customer);
    const hold = { reason: 'Audit', token_id: ids[0] };
    const set = await vault.request('POST', '/legal-holds', { key: tenant.keys.management, body: hold });
    expect([held, set.status]).toEqual([0, 201]);
    await erasures.run();
    expect(await listStored(vault, ids)).toEqual(ids.slice(0, 1));
    expect(await receiptOf(id)).toMatchObject({ confirmed: 3, tokens: 2, held: 1, is_limited: false });
    expect(await erasures.get(id)).toMatchObject({ held_tokens: 1, removed_tokens: 2 });
  });

  it('without what a hold kept that was lifted after the count', async () => {
    const [id = ''] = await createSome(1, customer);
    const hold = { reason: 'Audit', token_id: id };
    const set = await vault.request('POST', '/legal-holds', { key: tenant.keys.management, body: hold });
    const counted = (await erasures.ask('POST', '', customer)).body as TestErasure;
    expect([counted.tokens, counted.held_tokens]).toEqual([0, 1]);
    await erasures.ask('POST', `/${counted.id}/confirm`, { confirmed_tokens: 1 });
    const { id: holdId } = set.body as { id: string };
    await vault.request('POST', `/legal-holds/${holdId}/lift`, { key: tenant.keys.management });
    await erasures.run();
    expect(await receiptOf(counted.id)).toMatchObject({ confirmed: 1, tokens: 1, held: 0 });
  });

  it('and says that it was limited if the rights of the requester were narrowed', async () => {
    const ids = [
      await create({ ...customer, containers: ['/mine/'] }),
      await create({ ...customer, containers: ['/theirs/'] }),
    ];
    const { counted, changeTo } = await beginLimited(mayErase('/'));
    expect(counted.is_limited).toBe(false);
    await changeTo(mayErase('/mine/'));
    await erasures.run();
    expect(await listStored(vault, ids)).toEqual(ids.slice(1));
    const { rows } = await vault.database.owner.query<{ receipt: string }>(
      'select receipt from erasures where id = $1',
      [counted.id],
    );
    expect(rows[0]?.receipt).toMatch(/"is_limited":true.*"tokens":1/);
  });

  it('and names the cell that has a copy of the tenant, and no date, until a move is finished', async () => {
    const { owner } = vault.database;
    const receiptNow = async () => {
      await createSome(1, customer);
      const { id } = await erasures.begin(customer);
      await erasures.run();
      return receiptOf(id);
    };
    await owner.query(
      `insert into tenant_moves (tenant_id, direction, id, cell, step) values ($1, 'out', gen_random_uuid(), 'us1', 'begun')`,
      [tenant.id],
    );
    expect(await receiptNow()).toMatchObject({ tokens: 1, backups: null, copy_in_cell: 'us1' });
    await owner.query(
      `update tenant_moves set direction = 'in', cell = 'eu1', decided_at = now(), step = 'opened' where tenant_id = $1`,
      [tenant.id],
    );
    expect(await receiptNow()).toMatchObject({ tokens: 1, backups: null, copy_in_cell: 'eu1' });
    await owner.query('update tenant_moves set removed_at = now() where tenant_id = $1', [tenant.id]);
    const done = await receiptNow();
    expect(done).toMatchObject({ tokens: 1, backups: { kept_days: 35 } });
    expect(done).not.toHaveProperty('copy_in_cell');
  });

  it('and there is none if the requester may delete nothing any more', async () => {
    const ids = await createSome(1, customer);
    const { applicationId, end } = await beginLimited(mayErase('/'));
    // A rule without a container covers nothing, although it names the permissions.
    await vault.database.owner.query(
      `update applications set rules = (select jsonb_agg(rule - 'container') from jsonb_array_elements(rules) as rule) where id = $1`,
      [applicationId],
    );
    await erasures.run();
    expect(await end()).toEqual(stoppedAt(0, 'lost the right'));
    expect(await listStored(vault, ids)).toEqual(ids);
  });
});

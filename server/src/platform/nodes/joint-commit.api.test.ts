import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { countLockWaits } from '../../../test/harness/lock-waits.ts';
import { StatementTap } from '../../../test/harness/statement-tap.ts';
import type { TestDatabase } from '../../../test/harness/test-database.ts';
import { type TestAnswer, type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { cutServers, idOn, nodeAt, type Place } from '../../../test/harness/two-nodes.ts';
import { endLeft } from './joint-commit-job.ts';

let vault: TestVault;
let tenant: TestTenant;
let tap: StatementTap;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
});
beforeEach(async () => {
  tap = new StatementTap();
  tenant = await vault.makeTenant();
});
afterEach(() => tap.close());
afterAll(() => vault.stop());

interface Body {
  readonly id: string;
  readonly created_at: string;
}

const key = () => tenant.keys.reveal;
const tokenize = (body: unknown, url?: string) =>
  vault.request('POST', '/tokenize', { key: key(), body, ...(url === undefined ? {} : { url }) });
const get = (id: string) => vault.request('GET', `/tokens/${id}`, { key: key() });
const bodiesOf = (answer: TestAnswer) => answer.body as Body[];

const nodeOf = (place: Place) => nodeAt(vault, place);
const once = (data: string, more: object = {}) => ({ type: 'token', data, deduplicate_token: true, ...more });
const sql = async (database: TestDatabase, text: string, values: unknown[] = []) =>
  (await database.owner.query(text, values)).rows as Record<string, unknown>[];
const updateExisting = async () => {
  const body = { name: 'Test', settings: { token_deduplication_behavior: 'update_existing' } };
  expect((await vault.request('PUT', '/tenants/self', { key: tenant.keys.management, body })).status).toBe(200);
};
/** What is left of joint commits: prepared transactions of the tenant, by their kind, and claims. */
const leftovers = async () => {
  const text = `select case when gid like '%/claims' then 'claims' else split_part(gid, '/', 4) end as left
    from pg_prepared_xacts where gid like $1 union all select 'row' from token_fingerprints order by 1`;
  return (await sql(vault.database, text, [`strongroom-joint/${tenant.id}/%`])).map((row) => row['left']);
};
const countTokens = async () => {
  const text = 'select count(*)::int as count from tokens where tenant_id = $1';
  const counts = await Promise.all([nodeOf(0), nodeOf(1)].map((database) => sql(database, text, [tenant.id])));
  return counts.flat().map(({ count }) => count);
};

describe('tokens that are deduplicated and lie on several nodes', () => {
  it('are created under ids that the request chooses, each when its node says', async () => {
    const ids = [idOn(0), idOn(1)];
    const answer = await tokenize([once('a', { id: ids[0] }), once('b', { id: ids[1] }), once('c')]);
    expect(answer.status).toBe(200);
    expect(await countTokens()).not.toContain(0);
    for (const { id, created_at } of bodiesOf(answer)) expect((await get(id)).body).toMatchObject({ created_at });
    const again = await tokenize([once('a'), once('b')]);
    expect(bodiesOf(again).map(({ id }) => id)).toEqual(ids);
    expect(await leftovers()).toEqual([]);
  });

  it('are neither updated nor created if an id is taken', async () => {
    await updateExisting();
    const [first, second] = [idOn(0), idOn(1)];
    await tokenize([once('a', { id: first }), once('b', { id: second })]);
    const before = await Promise.all([get(first), get(second)]);
    const more = { metadata: { changed: 'yes' } };
    const refused = await tokenize([once('a', more), once('b', more), once('new', { id: second })]);
    expect(refused.status).toBe(409);
    expect((await Promise.all([get(first), get(second)])).map(({ body }) => body)).toEqual(
      before.map(({ body }) => body),
    );
    expect(await leftovers()).toEqual([]);
    const updated = await tokenize([once('a', more), once('b', more), once('new')]);
    expect(updated.body).toMatchObject([{ id: first, ...more }, { id: second, ...more }, {}]);
    expect((await countTokens()).reduce<number>((sum, count) => sum + Number(count), 0)).toBe(3);
    expect(await leftovers()).toEqual([]);
  });

  it('are not created if the claim is lost meanwhile', async () => {
    const isIdle = `datname = current_database() and state = 'idle in transaction' and application_name ~ '^strongroom(/|$)'`;
    tap.interrupt(
      ({ text }) => text.startsWith('prepare transaction'),
      () => sql(vault.database, `select pg_terminate_backend(pid) from pg_stat_activity where ${isIdle}`),
    );
    const answer = await tokenize([once('a', { id: idOn(0) })]);
    expect(answer).toMatchObject({ status: 503, body: { detail: expect.any(String) } });
    expect(await countTokens()).toEqual([0, 0]);
    expect((await tokenize([once('a')])).status).toBe(200);
    expect(await leftovers()).toEqual([]);
  });

  it('are undone at once if the node that decides fails before it has', async () => {
    tap.interrupt(
      ({ text }) => text.startsWith('insert into joint_commits'),
      () => cutServers(nodeOf(1)),
    );
    const answer = await tokenize([once('a', { id: idOn(0) }), once('b', { id: idOn(1) })]);
    expect(answer.status).toBe(503);
    expect(await countTokens()).toEqual([0, 0]);
    expect(await leftovers()).toEqual([]);
  });

  it('keep others waiting if a node fails after it was decided, until it has its part as well', async () => {
    const other = await vault.startAnother();
    const ids = [idOn(0), idOn(1)];
    tap.interrupt(
      ({ text }) => text.startsWith('commit prepared'),
      () => cutServers(nodeOf(0)),
    );
    const answer = await tokenize([once('a', { id: ids[0] }), once('b', { id: ids[1] })]);
    expect(answer).toMatchObject({ status: 503, body: { detail: expect.stringContaining('may have') } });
    expect(await leftovers()).toEqual(['claims', 'node-1']);
    expect(await countTokens()).toEqual([0, 1]);

    const waiting = tokenize([once('a')], other.url);
    await untilTrue(async () => (await countLockWaits(vault.database.owner)) === 1, {
      waitingFor: 'the other request',
    });
    // A worker that meets the same does no harm.
    tap.interrupt(
      ({ text }) => text.startsWith('commit prepared'),
      () => cutServers(nodeOf(0)),
    );
    await expect(endLeft(vault.server.core.nodes, { olderThanSeconds: 0 })).rejects.toThrow();
    expect(await leftovers()).toEqual(['claims', 'node-1']);
    await endLeft(vault.server.core.nodes, { olderThanSeconds: 0 });
    expect(bodiesOf(await waiting).map(({ id }) => id)).toEqual([ids[0]]);
    expect(await countTokens()).toEqual([1, 1]);
    expect(await leftovers()).toEqual([]);
  });

  it('are created although a race was lost when the claim was prepared', async () => {
    await sql(
      vault.database,
      `create sequence attempts;
      create function lose_first_race() returns trigger security definer language plpgsql as $$
      begin
        if nextval('attempts') = 1 then raise exception 'lost' using errcode = '40001'; end if;
        return null;
      end $$;
      create constraint trigger lose_race after insert on token_fingerprints deferrable initially deferred
        for each row execute function lose_first_race()`,
    );
    try {
      expect((await tokenize([once('a', { id: idOn(0) })])).status).toBe(200);
      expect(await sql(vault.database, 'select last_value::int as attempts from attempts')).toEqual([{ attempts: 2 }]);
    } finally {
      await sql(vault.database, 'drop function lose_first_race cascade; drop sequence attempts');
    }
    expect(await countTokens()).toEqual([1, 0]);
    expect(await leftovers()).toEqual([]);
  });

  it('are found by as many requests as come, however few connections there are', async () => {
    const other = await vault.startAnother();
    const asked = Array.from({ length: 60 }, (_, index) =>
      tokenize([once('a'), once('b')], index % 2 === 0 ? undefined : other.url),
    );
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(
      new Set(
        answers.map((answer) =>
          bodiesOf(answer)
            .map(({ id }) => id)
            .join(),
        ),
      ).size,
    ).toBe(1);
    expect(await leftovers()).toEqual([]);
  });
});

describe('tokens whose ids lie on several nodes', () => {
  it('are created although one of the nodes has not heard of the key', async () => {
    await tokenize([0, 1].map((node) => ({ type: 'token', data: 1, id: idOn(node === 0 ? 0 : 1) })));
    for (const unaware of [0, 1] as const) {
      await sql(nodeOf(unaware), 'delete from tenant_keys where tenant_id = $1', [tenant.id]);
      const answer = await tokenize([
        { type: 'token', data: 2, id: idOn(0) },
        { type: 'token', data: 3, id: idOn(1) },
      ]);
      expect(answer.status).toBe(200);
    }
    expect(await leftovers()).toEqual([]);
  });
});

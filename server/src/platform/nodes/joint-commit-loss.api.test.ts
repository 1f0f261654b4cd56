import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StatementTap } from '../../../test/harness/statement-tap.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { cutServers, idOn, nodeAt } from '../../../test/harness/two-nodes.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../database/database.ts';
import { commitClaimed } from './joint-commit.ts';
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

const tokenize = (body: unknown, headers: Record<string, string> = {}) =>
  vault.request('POST', '/tokenize', { key: tenant.keys.reveal, body, headers });
const statusOf = async (id: string) =>
  (await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.reveal })).status;
const sql = (text: string, values?: unknown[]) => nodeAt(vault, 0).owner.query(text, values);
/** What is prepared for the tenant, anywhere. */
const listPrepared = async (): Promise<string[]> => {
  const { rows } = await sql('select gid from pg_prepared_xacts where gid like $1', [
    `strongroom-joint/${tenant.id}/%`,
  ]);
  return (rows as { gid: string }[]).map(({ gid }) => gid);
};
const nameOnFirst = async () => (await listPrepared()).find((name) => name.includes('/node-1/'));
/** Just before the server commits what the first node has prepared. */
const onceDecided = (work: () => Promise<unknown>) =>
  tap.interrupt(({ text }) => text.startsWith('commit prepared') && text.includes('/node-1/'), work);

describe('tokens that are written on several nodes', () => {
  it.each([
    ['plain', (data: string, id: string) => ({ type: 'token', data, id })],
    ['deduplicated', (data: string, id: string) => ({ type: 'token', data, id, deduplicate_token: true })],
  ])('are not said to be created if a node has lost its part of %s ones', async (_name, toToken) => {
    const ids = [idOn(0), idOn(1)];
    // As a failover does to a standby that has not got it.
    onceDecided(async () => sql(`rollback prepared '${await nameOnFirst()}'`));
    const headers = { 'bt-idempotency-key': crypto.randomUUID() };
    const body = ids.map((id) => toToken(id, id));
    const create = () => tokenize(body, headers);
    expect(await create()).toMatchObject({ status: 503, body: { detail: expect.stringContaining('may have') } });
    expect(await Promise.all(ids.map(statusOf))).toEqual([404, 200]);
    expect(await listPrepared()).toEqual([]);
    expect(await create()).toMatchObject({
      status: 409,
      body: { type: expect.stringMatching(/idempotency-answer-not-kept$/) },
    });
  });

  it('are written once, even if a node refuses to end its part', async () => {
    // Another role has prepared it, so that the server may not commit it: refused with the error of a drawer that has moved.
    onceDecided(async () => {
      const name = await nameOnFirst();
      await sql(`rollback prepared '${name}'`);
      await sql(`begin; select pg_current_xact_id(); prepare transaction '${name}'`);
    });
    const answer = await tokenize([idOn(0), idOn(1)].map((id) => ({ type: 'token', data: id, id })));
    await sql(`rollback prepared '${await nameOnFirst()}'`);
    expect(answer.status).toBe(500);
    expect(tap.sent.filter(({ text }) => text.startsWith('insert into joint_commits'))).toHaveLength(1);
  });
});

describe('a node whose clock was an hour ahead, and was set back', () => {
  const setAhead = (by: string) => `set allow_system_table_mods = on;
    create or replace view pg_catalog.pg_prepared_xacts as
      select p.transaction, p.gid, p.prepared ${by} as prepared, u.rolname as owner, d.datname as database
      from pg_prepared_xact() as p(transaction, gid, prepared, ownerid, dbid)
      left join pg_authid u on p.ownerid = u.oid left join pg_database d on p.dbid = d.oid;
    reset allow_system_table_mods`;
  beforeEach(async () => void (await sql(setAhead(`+ interval '1 hour'`))));
  afterEach(async () => void (await sql(setAhead(''))));

  it.each([0, 60])(
    'has its part committed by a worker that ends what is older than %i seconds',
    async (olderThanSeconds) => {
      const ids = [idOn(0), idOn(1)];
      onceDecided(() => cutServers(nodeAt(vault, 0)));
      expect((await tokenize(ids.map((id) => ({ type: 'token', data: id, id })))).status).toBe(503);
      await endLeft(vault.server.core.nodes, { olderThanSeconds });
      expect(await Promise.all(ids.map(statusOf))).toEqual([200, 200]);
      expect(await listPrepared()).toEqual([]);
    },
  );

  it('keeps claims on its part until it is committed', async () => {
    const ids = [idOn(0), idOn(1)];
    onceDecided(() => cutServers(nodeAt(vault, 0)));
    expect((await tokenize(ids.map((id) => ({ type: 'token', data: id, id, deduplicate_token: true })))).status).toBe(
      503,
    );
    // A worker that meets the same.
    onceDecided(() => cutServers(nodeAt(vault, 0)));
    await expect(endLeft(vault.server.core.nodes, { olderThanSeconds: 0 })).rejects.toThrow();
    expect(await listPrepared()).toHaveLength(2);
    await endLeft(vault.server.core.nodes, { olderThanSeconds: 0 });
    expect(await listPrepared()).toEqual([]);
  });
});

describe('what is prepared at this moment', () => {
  it('is left alone by a worker', async () => {
    onceDecided(() => endLeft(vault.server.core.nodes, { olderThanSeconds: 60 }));
    expect((await tokenize([idOn(0), idOn(1)].map((id) => ({ type: 'token', data: id, id })))).status).toBe(200);
  });
});

describe('what is done under claims', () => {
  it('is what the last of several attempts has done', async () => {
    const { nodes } = vault.server.core;
    let attempts = 0;
    const claim = async () => {
      attempts += 1;
      const isFirst = attempts === 1;
      return { plan: attempts, parts: new Map(isFirst ? [[nodes.home, async () => 'undone']] : []) };
    };
    const release = (home: Transaction) =>
      home.query({
        text: attempts === 1 ? `do $$ begin raise exception 'lost' using errcode = '40001'; end $$` : 'select 1',
      });
    const { plan, done } = await commitClaimed(nodes, parseTenantId(tenant.id), { claim, release });
    expect({ plan, done }).toEqual({ plan: 2, done: new Map() });
  });
});

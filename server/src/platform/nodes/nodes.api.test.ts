import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTenantId } from '../../core/identity/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/test-database.ts';
import { TestVault, type TestTenant } from '../../../test/harness/test-vault.ts';
import { TokenEndpoints } from '../../../test/harness/token-endpoints.ts';
import { drawerCount, drawerOf, DrawerSet } from './drawers.ts';
import { endLeft } from './joint-commit-job.ts';
import { decide, nameTransaction } from './joint-commit-store.ts';
import { addNode } from './node-adding-store.ts';
import { type VaultNode, Nodes } from './nodes.ts';

let vault: TestVault;
let tenant: TestTenant;
let tokens: TokenEndpoints;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
  tenant = await vault.makeTenant();
  tokens = new TokenEndpoints(vault, tenant.keys.reveal);
});
afterAll(() => vault.stop());

const countOn = async ({ owner }: TestDatabase, id: string) => {
  const { rows } = await owner.query(
    `select (select count(*) from tokens where id = $1)::int as tokens, (select count(*) from audit_records where entity_id = $1)::int as records`,
    [id],
  );
  return rows as { tokens: number; records: number }[];
};

const nodeOf = (index: number): TestDatabase => {
  const node = vault.nodes[index];
  if (node === undefined) throw new Error('There is no such node.');
  return node.database;
};
const countPrepared = async () => {
  const { rows } = await vault.database.owner.query(
    'select count(*)::int as count from pg_prepared_xacts where gid like $1',
    [`strongroom-joint/${tenant.id}/%`],
  );
  return (rows as { count: number }[])[0]?.count;
};
const tokenize = (body: unknown) => vault.request('POST', '/tokenize', { key: tenant.keys.reveal, body });

describe('a drawer', () => {
  it('is the same in the database as here, whatever the id', async () => {
    const ids = [...Array.from({ length: 500 }, () => crypto.randomUUID()), 'abc', 'ö€😀', "a'b", 'x'.repeat(400)];
    const { rows } = await vault.database.owner.query('select drawer_of(id) as drawer from unnest($1::text[]) as id', [
      ids,
    ]);
    expect(rows).toStrictEqual(ids.map((id) => ({ drawer: drawerOf(id) })));
  });

  it('is a bit of a set, as the database counts them', async () => {
    const some = [0, 1, 7, 8, 2_047, 2_048, drawerCount - 1];
    const { rows } = await vault.database.owner.query(
      'select array_agg(n) as drawers from generate_series(0, $2::int - 1) as n where get_bit($1::bytea, n) = 1',
      [DrawerSet.of(some).toBytes(), drawerCount],
    );
    expect(rows).toStrictEqual([{ drawers: some }]);
    expect(DrawerSet.of(some).list()).toStrictEqual(some);
    expect(DrawerSet.all().list()).toHaveLength(drawerCount);
  });
});

describe('a token', () => {
  it('lies on the node that holds its drawer, with its records, and nowhere else', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, (_, data) => tokens.make({ data })));
    for (const { id } of made) {
      await tokens.get(id);
      const counts = await Promise.all(vault.nodes.map(({ database }) => countOn(database, id)));
      const expected = drawerOf(id) % 2 === 0 ? [1, 0] : [0, 1];
      expect(counts.flat().map((count) => count.tokens)).toStrictEqual(expected);
      expect(counts.flat().map((count) => count.records > 0)).toStrictEqual(expected.map((count) => count === 1));
    }
  });

  it('cannot be written to a node that does not hold its drawer, and is not seen there', async () => {
    const { id } = await tokens.make({ data: 'x' });
    const [holder, other] = [nodeOf(drawerOf(id) % 2), nodeOf(1 - (drawerOf(id) % 2))];
    const { rows } = await holder.owner.query('select * from tokens where id = $1', [id]);
    const row = JSON.stringify(rows[0], (_, value: unknown) =>
      value instanceof Object && 'type' in value && value.type === 'Buffer'
        ? `\\x${Buffer.from((value as unknown as { data: number[] }).data).toString('hex')}`
        : value,
    );
    const tenantId = parseTenantId(tenant.id);
    const copy = {
      text: 'insert into tokens select * from json_populate_record(null::tokens, $1::json) returning id',
      values: [row],
    };
    await expect(other.open().runForTenant(tenantId, copy)).rejects.toMatchObject({ sqlState: '42501' });
    await other.owner.query('insert into tokens select * from json_populate_record(null::tokens, $1::json)', [row]);
    const look = { text: 'select 1 from tokens where id = $1', values: [id] };
    await expect(other.open().runForTenant(tenantId, look)).resolves.toStrictEqual([]);
    await other.owner.query('delete from tokens where id = $1', [id]);
  });

  it('is written with others on one node, in one transaction', async () => {
    const answer = await tokenize(Array.from({ length: 50 }, (_, data) => ({ type: 'token', data })));
    const ids = (answer.body as { id: string }[]).map(({ id }) => id);
    expect(new Set(ids.map((id) => drawerOf(id) % 2)).size).toBe(1);
    const created = (answer.body as { created_at: string }[]).map(({ created_at }) => created_at);
    expect(new Set(created).size).toBe(1);
  });

  it('is written with others whose chosen ids lie elsewhere: all of them or none', async () => {
    const named = (parity: number) => {
      for (;;) {
        const id = crypto.randomUUID();
        if (drawerOf(id) % 2 === parity) return { type: 'token', data: 1, id };
      }
    };
    const [first, second, third] = [named(0), named(1), named(0)];
    const answer = await tokenize([first, second]);
    expect(answer.status).toBe(200);
    expect((await tokens.get(first.id)).body).toMatchObject({
      created_at: (answer.body as { created_at: string }[])[0]?.created_at,
    });
    expect((await tokens.get(second.id)).body).toMatchObject({
      created_at: (answer.body as { created_at: string }[])[1]?.created_at,
    });
    expect((await tokenize([third, second])).status).toBe(409);
    expect((await tokens.get(third.id)).status).toBe(404);
    expect(await countPrepared()).toBe(0);
  });

  it('is there or not as was decided on another node, if its server ends in between', async () => {
    const { nodes } = vault.server.core;
    const tenantId = parseTenantId(tenant.id);
    const named = (id: string) =>
      nameTransaction({ tenantId, id, node: 'node-1', decider: 'node-2', hasClaims: false });
    const prepare = async (id: string, name = named(id)) => {
      const database = nodeOf(0).open();
      const statement = { text: 'select ensure_audit_partitions(1)' };
      await database.forTenant(tenantId, (tx) => tx.query(statement), {
        prepareAs: () => name,
      });
    };
    const [decided, undecided] = [crypto.randomUUID(), crypto.randomUUID()];
    await prepare(decided);
    const decider = nodeOf(1).open();
    await decider.forTenant(tenantId, (tx) => decide(tx, { tenantId, id: decided, isCommitted: true }));
    await endLeft(nodes, { olderThanSeconds: 0 });
    await prepare(undecided);
    await endLeft(nodes, { olderThanSeconds: 0 });
    // As an earlier version called it, where home decides.
    await prepare(undecided, `strongroom/${tenantId}/${undecided}/node-1`);
    await endLeft(nodes, { olderThanSeconds: 0 });
    expect(await countPrepared()).toBe(0);
    const { rows: left } = await vault.database.owner.query(
      `select from pg_prepared_xacts where gid like 'strongroom/${tenantId}/%'`,
    );
    expect(left).toEqual([]);
    const late = await decider.forTenant(tenantId, (tx) => decide(tx, { tenantId, id: undecided, isCommitted: true }));
    expect(late).toBe(false);
  });
});

describe('drawers that have left and come back', () => {
  /** As a move does that could not hand them over. */
  const leaveAndComeBack = ({ owner }: TestDatabase) => owner.query('update held_drawers set held = held');

  it('were missing meanwhile: whoever found nothing looks again', async () => {
    const { nodes } = vault.server.core;
    await nodes.lookAgain();
    const { id } = await tokens.make({ data: 1 });
    const errand = { tenantId: parseTenantId(tenant.id), key: id };
    let tries = 0;
    const found = await nodes.at(errand, async (node) => {
      tries += 1;
      if (tries > 1) return true;
      await leaveAndComeBack(nodeOf(nodes.all.indexOf(node) - 1));
      return undefined;
    });
    expect([found, tries]).toEqual([true, 2]);
    const { known } = nodes;
    for (const [node] of await nodes.group([id])) {
      expect(await nodes.listGone(node, [id], known)).toEqual([]);
      await leaveAndComeBack(nodeOf(nodes.all.indexOf(node) - 1));
      expect(await nodes.listGone(node, [id], known)).toEqual([id]);
    }
  });
});

describe('a tenant', () => {
  it('is made known to a node once, however many write for it at the same time', async () => {
    let asked = 0;
    const home = new Proxy(vault.database.open(), {
      get(database, name) {
        if (name === 'runForTenant') asked += 1;
        const member: unknown = Reflect.get(database, name);
        return typeof member === 'function' ? (member.bind(database) as unknown) : member;
      },
    });
    const others = vault.nodes.map(({ name, database }): VaultNode => ({ name, database: database.open() }));
    const nodes = await Nodes.open([{ name: 'home', database: home }, ...others]);
    const [node] = others;
    if (node === undefined) throw new Error('There are no nodes.');
    const id = parseTenantId(tenant.id);
    await Promise.all(Array.from({ length: 20 }, () => nodes.acquaint(node, id, id)));
    await nodes.acquaint(node, id, id);
    expect(asked).toBe(1);
  });
});

describe('opening nodes', () => {
  const open = (databases: readonly (readonly [name: string, database: TestDatabase])[]) =>
    Nodes.open(databases.map(([name, database]): VaultNode => ({ name, database: database.open() })));

  it('refuses a vault whose nodes are not named', async () => {
    await expect(open([['home', vault.database]])).rejects.toThrow('STRONGROOM_NODES does not name all nodes');
  });

  it('refuses a node under the name of another, and a vault of its own', async () => {
    const [first, second] = [nodeOf(0), nodeOf(1)];
    await expect(
      open([
        ['home', vault.database],
        ['node-1', second],
        ['node-2', first],
      ]),
    ).rejects.toThrow('is not a node of this vault by that name');
    const stranger = await createTestDatabase();
    await expect(
      open([
        ['home', vault.database],
        ['node-1', stranger],
      ]),
    ).rejects.toThrow('is not a node of this vault');
    await stranger.drop();
  });

  it('adds no database that is a vault or belongs to one', async () => {
    const first = nodeOf(0);
    const home = { name: 'home', ownerUrl: vault.database.url };
    const other = await TestVault.start(undefined, { nodes: 0 });
    await other.makeTenant();
    await expect(addNode(home, { name: 'new', ownerUrl: other.database.url })).rejects.toThrow('a vault of its own');
    await expect(addNode(home, { name: 'new', ownerUrl: first.url })).rejects.toThrow('is node node-1 of this vault');
    await expect(addNode(home, { name: 'node-1', ownerUrl: first.url })).resolves.toBeUndefined();
    await expect(
      addNode({ name: 'home', ownerUrl: first.url }, { name: 'new', ownerUrl: other.database.url }),
    ).rejects.toThrow('STRONGROOM_DATABASE_URL points to node node-1');
    await other.stop();
  });
});

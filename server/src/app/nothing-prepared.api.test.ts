import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examineNodes } from './nodes-examination.ts';
import { parseTenantId } from '../core/identity/ids.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../../test/harness/test-database.ts';
import type { Transaction } from '../platform/database/database.ts';
import { migrate } from '../platform/database/migrator.ts';
import { LocalPostgres } from '../platform/local-postgres/local-postgres.ts';
import { DrawerSet } from '../platform/nodes/drawers.ts';
import { commitJointly } from '../platform/nodes/joint-commit.ts';
import { addNode } from '../platform/nodes/node-adding-store.ts';
import { Nodes } from '../platform/nodes/nodes.ts';

// A database whose max_prepared_transactions is 0, as it is by default.

let postgres: LocalPostgres;
let home: TestDatabase;
let strict: TestDatabase;
let last: TestDatabase;
beforeAll(async () => {
  postgres = await LocalPostgres.start({ password: randomBytes(16).toString('hex'), settings: { fsync: 'off' } });
  await migrate(postgres.url);
  strict = openTestDatabase(postgres.url);
  [home, last] = [await createTestDatabase(), await createTestDatabase()];
});
afterAll(async () => {
  for (const database of [home, last, strict]) await database.drop();
  await postgres.stop();
});

const nodesOf = () => [
  { name: 'strict', url: strict.url },
  { name: 'last', url: last.url },
];

describe('a database that prepares no transactions', () => {
  it('is not added to a vault, and does not become its home', async () => {
    const refusal = (of: string) => `The database of ${of} has max_prepared_transactions at 0. Set it to at least 100`;
    await expect(
      addNode({ name: 'home', ownerUrl: home.url }, { name: 'strict', ownerUrl: strict.url }),
    ).rejects.toThrow(refusal('node strict'));
    await expect(addNode({ name: 'home', ownerUrl: strict.url }, { name: 'last', ownerUrl: last.url })).rejects.toThrow(
      refusal('home'),
    );
  });

  it('is named by doctor, and by the error of a request that needs it', async () => {
    await addNode({ name: 'home', ownerUrl: home.url }, { name: 'last', ownerUrl: last.url });
    // As if it had been changed after the node was added.
    const { rows } = await home.owner.query<{ vault_id: string }>('select vault_id from held_drawers');
    const values = [rows[0]?.vault_id, DrawerSet.of([]).toBytes()];
    await strict.owner.query(`update held_drawers set node = 'strict', vault_id = $1, held = $2`, values);
    await home.owner.query(`insert into vault_nodes (name) values ('strict')`);

    const config = { url: home.url, ownerUrl: home.url, connectionsMax: 2, timeoutSeconds: 60, nodes: nodesOf() };
    const found = await examineNodes(config);
    expect(found.at(-1)).toMatchObject({
      name: 'nodes',
      isOk: false,
      detail: expect.stringMatching(/^max_prepared_transactions is below 16 on strict: .* Set it to at least 100/),
    });

    const nodes = await Nodes.open([
      { name: 'home', database: home.open() },
      { name: 'strict', database: strict.open() },
      { name: 'last', database: last.open() },
    ]);
    const write = { text: 'select pg_current_xact_id()' };
    const parts = new Map(nodes.all.map((node) => [node, (tx: Transaction) => tx.query(write)]));
    const writing = commitJointly(nodes, parseTenantId(crypto.randomUUID()), parts);
    await expect(writing).rejects.toMatchObject({
      code: 'overloaded',
      message: expect.stringContaining('Operators: set max_prepared_transactions to at least 100 on every database'),
    });
    const left = await home.owner.query('select from pg_prepared_xacts where database = current_database()');
    expect(left.rows).toEqual([]);
  });
});

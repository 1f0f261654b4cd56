import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/test-database.ts';
import { DrawerSet } from './drawers.ts';
import { DrawerMoving } from './moving/drawer-moving.ts';
import { addNode } from './node-adding-store.ts';

let home: TestDatabase;
let east: TestDatabase;
beforeEach(async () => {
  [home, east] = [await createTestDatabase(), await createTestDatabase()];
});
afterEach(async () => {
  await home.drop();
  await east.drop();
});

const databases = () =>
  [
    { name: 'home', ownerUrl: home.url },
    { name: 'east', ownerUrl: east.url },
  ] as const;
const readEast = async () => (await east.owner.query('select node, held from held_drawers')).rows;
const isWaiting = async () => {
  const { rowCount } = await east.owner.query(
    `select from pg_stat_activity where datname = current_database() and application_name = 'strongroom nodes' and wait_event_type = 'Lock'`,
  );
  return (rowCount ?? 0) > 0;
};

/** Begins to add a node, and lets it go on only after something else was written to the new database. */
async function addAfter(text: string, values: unknown[] = []): Promise<void> {
  const other = await east.owner.connect();
  try {
    await other.query('begin');
    await other.query('select from held_drawers for update');
    const adding = addNode(...databases());
    adding.catch(() => undefined);
    await untilTrue(isWaiting, { waitingFor: 'the command that adds a node' });
    await other.query(text, values);
    await other.query('commit');
    await adding;
  } finally {
    other.release(true);
  }
}

describe('adding a node', () => {
  it('empties none that another has added meanwhile, and that holds drawers by now', async () => {
    const { rows } = await home.owner.query<{ vault_id: string }>('select vault_id from held_drawers');
    const held = DrawerSet.all().toBytes();
    await addAfter(`update held_drawers set node = 'east', vault_id = $1, held = $2`, [rows[0]?.vault_id, held]);
    expect(await readEast()).toEqual([{ node: 'east', held }]);
  });

  it('takes no database that has become a vault meanwhile', async () => {
    const insert = `insert into tenants (id, name, type) values (gen_random_uuid(), 'Other', 'test')`;
    await expect(addAfter(insert)).rejects.toThrow('a vault of its own');
    expect(await readEast()).toEqual([{ node: 'home', held: DrawerSet.all().toBytes() }]);
  });

  it('is refused while drawers are moved', async () => {
    await addNode(...databases());
    const whileMoving = DrawerMoving.with({ nodes: databases() }, () => addNode(...databases()));
    await expect(whileMoving).rejects.toThrow('being moved by another command');
    await expect(addNode(...databases())).resolves.toBeUndefined();
  });
});

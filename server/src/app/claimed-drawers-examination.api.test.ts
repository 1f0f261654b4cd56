import { afterAll, beforeAll, expect, it } from 'vitest';
import { MovingVault } from '../../test/harness/moving-vault.ts';
import { DrawerSet } from '../platform/nodes/drawers.ts';
import { examineNodes } from './nodes-examination.ts';

let moved: MovingVault;
beforeAll(async () => {
  moved = await MovingVault.start();
});
afterAll(() => moved.vault.stop());

async function examine() {
  const { database, nodes } = moved.vault;
  const named = nodes.map(({ name, database: { url } }) => ({ name, url }));
  const config = { url: database.url, ownerUrl: database.url, connectionsMax: 2, timeoutSeconds: 60, nodes: named };
  return (await examineNodes(config)).at(-1);
}

it('tells drawers that have left from those that another holds all the same', async () => {
  await moved.killMove('node-1', 'node-2', 'leaving');
  expect(await examine()).toMatchObject({
    isOk: false,
    detail: expect.stringMatching(/^2048 of 4096 drawers are held by nobody/),
  });
  // As a database does that is restored to an earlier state.
  const values = [DrawerSet.all().toBytes()];
  await moved.vault.nodes[1]?.database.owner.query('update held_drawers set held = $1', values);
  expect(await examine()).toMatchObject({
    isOk: false,
    detail: expect.stringMatching(/^2048 drawers are claimed by two databases/),
  });
  await moved.moving((all) => all.release({ from: 'node-2', to: 'node-1' }));
  expect(await examine()).toMatchObject({ isOk: true });
});

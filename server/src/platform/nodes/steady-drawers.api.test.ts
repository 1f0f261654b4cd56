import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownedNodes } from '../../../test/harness/node-inventory.ts';
import { TestVault } from '../../../test/harness/test-vault.ts';
import { DrawerMoving } from './moving/drawer-moving.ts';
import { whileNothingMoves } from './steady-drawers.ts';

let vault: TestVault;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
});
afterAll(() => vault.stop());

it('begins again after a drawer that has left and come back', async () => {
  let times = 0;
  const result = await whileNothingMoves(vault.server.core.nodes, async () => {
    times += 1;
    if (times === 1)
      await DrawerMoving.with({ nodes: ownedNodes(vault) }, async (moving) => {
        // All of them, so that the same ones come back.
        await moving.move({ from: 'node-1', to: 'home' });
        await moving.move({ from: 'home', to: 'node-1' });
      });
    return times;
  });
  expect(result).toBe(2);
});

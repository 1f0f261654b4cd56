import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseBackup } from '../../../../test/harness/database-backup.ts';
import { MovingVault } from '../../../../test/harness/moving-vault.ts';
import { listDatabases, listDisorder } from '../../../../test/harness/node-inventory.ts';
import type { TestDatabase } from '../../../../test/harness/test-database.ts';
import type { TestTenant } from '../../../../test/harness/test-vault.ts';
import type { MoveWatch } from './drawer-mover.ts';
import type { MoveStep } from './move-step.ts';

/** Drawers that have been on both nodes: what was left or noted there the last time must not count for this time. */
let moved: MovingVault;
let first: TestDatabase;
let second: TestDatabase;
let tenant: TestTenant;
let shown: Map<string, string>;

beforeEach(async () => {
  moved = await MovingVault.start();
  const [, ...nodes] = listDatabases(moved.vault).map(({ database }) => database);
  const [one] = moved.tenants;
  if (nodes[0] === undefined || nodes[1] === undefined || one === undefined) throw new Error('There are no nodes.');
  [first, second] = [nodes[0], nodes[1]];
  tenant = one;
});
afterEach(() => moved.vault.stop());

/** Takes a backup of the database after the step. */
function backingUp(of: TestDatabase, at: MoveStep): { watch: MoveWatch; restore: () => Promise<void> } {
  let backup: DatabaseBackup | undefined;
  return {
    watch: {
      async onStep(step) {
        if (step === at) backup ??= await DatabaseBackup.take(of);
      },
    },
    async restore() {
      if (backup === undefined) throw new Error('There is no backup.');
      await backup.restore();
    },
  };
}

async function changeSome(): Promise<void> {
  const { rows } = await first.owner.query<{ id: string }>('select id from tokens where tenant_id = $1', [tenant.id]);
  for (const [index, { id }] of rows.entries()) {
    if (index % 2 === 0) await moved.delete(tenant, id);
    else await moved.patch(tenant, id, { metadata: { name: 'changed' } });
  }
  shown = await moved.showAll();
}

async function expectAllInOrder(): Promise<void> {
  await moved.vault.server.core.nodes.lookAgain();
  expect(await listDisorder(moved.vault)).toEqual([]);
  expect(await moved.showAll()).toEqual(shown);
}

describe('a target that was restored to where it still had to delete the same drawers', () => {
  const backAgain = { from: 'node-1', to: 'node-2', drawers: 4_096 };
  let restore: () => Promise<void>;
  beforeEach(async () => {
    const backup = backingUp(second, 'arrived');
    await moved.move('node-2', 'node-1', backup.watch);
    restore = backup.restore;
    await changeSome();
  });

  it.each<MoveStep>(['copied', 'leaving', 'uncounted', 'arrived'])(
    'deletes them before they are copied, if the move back was killed after "%s"',
    async (step) => {
      await expect(moved.moving((all) => all.move(backAgain), moved.killedAfter(step))).rejects.toThrow();
      await restore();
      expect(await moved.finish()).toMatchObject([{ from: 'node-2' }, { from: 'node-1' }]);
      await expectAllInOrder();
    },
  );

  it('deletes them if the move back is given up', async () => {
    await expect(moved.moving((all) => all.move(backAgain), moved.killedAfter('copied'))).rejects.toThrow();
    await restore();
    await expect(moved.giveUp()).rejects.toThrow('nodes move --from node-2 --to node-1');
    expect(await moved.finish()).toMatchObject([{ from: 'node-2' }]);
    await expectAllInOrder();
  });

  it('is not copied to', async () => {
    const restored = moved.moving((all) => all.move(backAgain), {
      async onStep(step) {
        if (step === 'began') await restore();
      },
    });
    await expect(restored).rejects.toThrow('has not yet deleted what it had of these drawers');
    expect(await moved.finish()).toMatchObject([{ from: 'node-2' }, { from: 'node-1' }]);
    await expectAllInOrder();
  });
});

describe('a receipt of drawers that have come back', () => {
  const ways = [
    ['completed', () => moved.finish()],
    ['given up', () => moved.giveUp()],
  ] as const;

  it.each(ways)('does not keep a move from being %s whose source was restored to before they left', async (_, end) => {
    await moved.move('node-2', 'home');
    const backup = backingUp(first, 'copied');
    await moved.move('node-1', 'node-2', backup.watch);
    await moved.move('node-2', 'node-1');
    await backup.restore();
    shown = await moved.showAll();
    expect(await end()).toMatchObject([{ from: 'node-1', to: 'node-2', drawers: 2_048 }]);
    await expectAllInOrder();
  });

  it.each(ways)('does not keep a move from being %s whose source has taken them back', async (_, end) => {
    await moved.move('node-2', 'home');
    const early = backingUp(second, 'uncounted');
    const killed = moved.move('node-1', 'node-2', {
      async onStep(step, tokens) {
        await early.watch.onStep?.(step, tokens);
        if (step === 'arrived') await moved.endSessions(['home', 'node-1', 'node-2']);
      },
    });
    await expect(killed).rejects.toThrow();
    const newest = await DatabaseBackup.take(second);
    await early.restore();
    await expect(moved.moving((all) => all.finish(), moved.killedAfter('copied'))).rejects.toThrow();
    await changeSome();
    await newest.restore();
    await moved.moving((all) => all.release({ from: 'node-2', to: 'node-1' }));
    expect(await end()).toMatchObject([{ from: 'node-1', to: 'node-2', drawers: 2_048 }]);
    await expectAllInOrder();
  });
});

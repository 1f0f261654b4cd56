import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MovingVault } from '../../../../test/harness/moving-vault.ts';
import { listDatabases, listDisorder } from '../../../../test/harness/node-inventory.ts';
import type { TestTenant } from '../../../../test/harness/test-vault.ts';
import { DrawerSet } from '../drawers.ts';
import type { MoveStep } from './move-step.ts';

let moved: MovingVault;
let tenant: TestTenant;
let shown: Map<string, string>;

beforeAll(async () => {
  moved = await MovingVault.start();
  const [first] = moved.tenants;
  if (first === undefined) throw new Error('There are no tenants.');
  tenant = first;
  shown = await moved.showAll();
});
afterAll(() => moved.vault.stop());

/** There and back again, so that each case begins with the same. */
async function expectAllInOrder(): Promise<void> {
  expect(await listDisorder(moved.vault)).toEqual([]);
  expect(await moved.showAll()).toEqual(shown);
}

async function countHeld(name: string): Promise<number> {
  const found = listDatabases(moved.vault).find((one) => one.name === name);
  const state = await found?.database.owner.query<{ held: Buffer }>('select held from held_drawers');
  return new DrawerSet(state?.rows[0]?.held ?? Buffer.alloc(0)).size;
}

const steps: readonly MoveStep[] = [
  'began',
  'page-copied',
  'copied',
  'followed',
  'leaving',
  'followed-all',
  'uncounted',
  'held',
  'arrived',
  'page-deleted',
  'deleted',
];

describe('a move of drawers', () => {
  it('leaves every token as it was, wherever it lies, and nothing behind', async () => {
    expect(await listDisorder(moved.vault)).toEqual([]);
    const report = await moved.move('node-1', 'node-2');
    expect(report).toMatchObject({ from: 'node-1', to: 'node-2', drawers: 2_048, isGivenUp: false });
    expect(report.tokens).toBeGreaterThan(5);
    await expectAllInOrder();
    const { rows } = (await moved.vault.nodes[0]?.database.owner.query('select 1 from tokens')) ?? { rows: [] };
    expect(rows).toEqual([]);
    await moved.move('node-2', 'node-1');
    await expectAllInOrder();
  });

  it('goes to home and from there as to any other', async () => {
    await moved.move('node-2', 'home');
    await expectAllInOrder();
    await moved.move('home', 'node-2');
    await expectAllInOrder();
  });

  it.each(steps)('that was killed after "%s" is completed by the next run', async (step) => {
    const tokens = (await moved.move('node-1', 'node-2')).tokens;
    await moved.killMove('node-2', 'node-1', step);
    const ended = await moved.finish();
    expect(ended).toMatchObject([{ from: 'node-2', to: 'node-1', drawers: 2_048, isGivenUp: false }]);
    // Copies are compared again, as long as they can be.
    const isCompared = steps.indexOf(step) < steps.indexOf('held');
    if (isCompared) expect(ended[0]?.tokens).toBe(tokens);
    await expectAllInOrder();
  });

  it('takes along what was written while nobody was moving it', async () => {
    await moved.killMove('node-1', 'node-2', 'copied');
    const made = await Promise.all(Array.from({ length: 20 }, (_, index) => moved.create(tenant, `5${index}`)));
    const body = { containers: ['/elsewhere/'], data: { cvc: '111' }, metadata: { kind: 'patched' } };
    await Promise.all(made.map((id) => moved.patch(tenant, id, body)));
    const before = await moved.showAll();
    await moved.finish();
    expect(await listDisorder(moved.vault)).toEqual([]);
    expect(await moved.showAll()).toEqual(before);
    await moved.killMove('node-2', 'node-1', 'followed');
    await Promise.all(made.map((id) => moved.delete(tenant, id)));
    await moved.finish();
    await expectAllInOrder();
  });
});

describe('drawers that have left', () => {
  it.each(['leaving', 'followed-all'] as const)(
    'are taken back at once if the target is lost after "%s"',
    async (step) => {
      await expect(moved.move('node-1', 'node-2', moved.cutOffAfter(step, ['node-2']))).rejects.toThrow();
      expect(await countHeld('node-1')).toBe(2_048);
      expect(await moved.showAll()).toEqual(shown);
      await moved.finish();
      await expectAllInOrder();
      await moved.move('node-2', 'node-1');
    },
  );

  it('are held by nobody if the target is lost when it may have them, until somebody can ask it', async () => {
    await expect(moved.move('node-1', 'node-2', moved.cutOffAfter('uncounted', ['node-2']))).rejects.toThrow();
    expect([await countHeld('node-1'), await countHeld('node-2')]).toEqual([0, 2_048]);
    await moved.finish();
    await expectAllInOrder();
    await moved.move('node-2', 'node-1');
  });
});

describe('a move that is given up', () => {
  it.each(['began', 'page-copied', 'copied', 'followed', 'leaving', 'uncounted'] as const)(
    'after "%s" leaves all where it was',
    async (step) => {
      await moved.killMove('node-1', 'node-2', step);
      // Given up by somebody who is killed as well.
      await expect(moved.giveUp(moved.killedAfter('giving-up'))).rejects.toThrow();
      expect(await moved.giveUp()).toMatchObject([{ from: 'node-1', isGivenUp: true }]);
      await expectAllInOrder();
    },
  );

  it.each(['held', 'arrived'] as const)('is refused after "%s", when it can only be completed', async (step) => {
    await moved.killMove('node-1', 'node-2', step);
    await expect(moved.giveUp()).rejects.toThrow('have already left node-1 for node-2');
    await moved.finish();
    await moved.move('node-2', 'node-1');
    await expectAllInOrder();
  });
});

describe('two moves', () => {
  it('are not made at once: the second is refused', async () => {
    const second: unknown[] = [];
    await moved.move('node-1', 'node-2', {
      async onStep(step) {
        if (step === 'copied') second.push(await moved.move('node-2', 'node-1').catch((error: unknown) => error));
      },
    });
    expect(second).toMatchObject([{ message: expect.stringContaining('being moved by another command') as unknown }]);
    await moved.move('node-2', 'node-1');
    await expectAllInOrder();
  });

  it('are refused where a database gives more than it has', async () => {
    await expect(moved.moving((all) => all.move({ from: 'node-1', to: 'node-2', drawers: 2_049 }))).rejects.toThrow(
      'node-1 holds 2048 drawers',
    );
    await expect(moved.move('node-1', 'node-1')).rejects.toThrow('name two');
    const toItself = { from: 'node-1', to: 'node-1' };
    await expect(moved.moving((all) => all.release(toItself))).rejects.toThrow('name two');
    await expectAllInOrder();
    await expect(moved.move('node-1', 'west')).rejects.toThrow('no database west');
  });
});

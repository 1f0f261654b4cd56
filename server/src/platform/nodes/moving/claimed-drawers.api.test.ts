import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseBackup } from '../../../../test/harness/database-backup.ts';
import { MovingVault } from '../../../../test/harness/moving-vault.ts';
import { listDatabases, listDisorder } from '../../../../test/harness/node-inventory.ts';
import type { TestDatabase } from '../../../../test/harness/test-database.ts';
import type { TestTenant } from '../../../../test/harness/test-vault.ts';
import { whileNothingMoves } from '../steady-drawers.ts';
import type { MoveStep } from './move-step.ts';

/** Drawers that have left a database and were not received, while another database holds them. */
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

const release = (from: string, to: string) => moved.moving((all) => all.release({ from, to }));
const listIds = async ({ owner }: TestDatabase) =>
  (await owner.query<{ id: string }>('select id from tokens where tenant_id = $1', [tenant.id])).rows.map(
    ({ id }) => id,
  );

async function expectRefusedByServers(paths: readonly string[]): Promise<void> {
  const { nodes } = moved.vault.server.core;
  await nodes.lookAgain();
  const key = tenant.keys.reveal;
  const answers = await Promise.all(paths.map((path) => moved.vault.request('GET', path, { key })));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 503));
  await expect(whileNothingMoves(nodes, async () => 'done')).rejects.toThrow('are being moved');
}

async function expectRefusedByCommands(): Promise<void> {
  await expect(moved.finish()).rejects.toThrow('both claim some drawers');
  await expect(moved.giveUp()).rejects.toThrow('both claim some drawers');
}

async function expectAllInOrder(): Promise<void> {
  await moved.vault.server.core.nodes.lookAgain();
  expect(await listDisorder(moved.vault)).toEqual([]);
  expect(await moved.showAll()).toEqual(shown);
}

describe('drawers that a target holds since it was restored to when it held them before', () => {
  let ids: readonly string[];

  /** They have changed on node-1 since, and are on their way back to node-2. */
  async function restoreTarget(killedAfter: MoveStep): Promise<void> {
    await moved.move('node-1', 'home');
    ids = await listIds(second);
    const old = await DatabaseBackup.take(second);
    await moved.move('node-2', 'node-1');
    for (const id of ids) await moved.patch(tenant, id, { metadata: { name: 'new' } });
    shown = await moved.showAll();
    await moved.killMove('node-1', 'node-2', killedAfter);
    await old.restore();
  }

  it.each<MoveStep>(['leaving', 'uncounted', 'arrived'])(
    'are released if the source has them all, after "%s"',
    async (step) => {
      await restoreTarget(step);
      await expectRefusedByServers(['/tokens', ...ids.map((id) => `/tokens/${id}`)]);
      await expectRefusedByCommands();
      await release('node-2', 'node-1');
      expect(await moved.finish()).toMatchObject([{ from: 'node-1', to: 'node-2', drawers: 2_048 }]);
      await expectAllInOrder();
    },
  );

  it('are kept as they are if the source has begun to delete them', async () => {
    await restoreTarget('page-deleted');
    await expectRefusedByServers(['/tokens']);
    await expectRefusedByCommands();
    await expect(release('node-1', 'home')).rejects.toThrow('Restore node-2 to a later state');
    await release('node-1', 'node-2');
    expect(await listDisorder(moved.vault)).toEqual([]);
  });
});

describe('drawers that have left a source which was restored to when it was about to give them to another', () => {
  it.each([
    ['all', 2_048, 2_048],
    ['some', 1_000, 2_000],
  ])('are released: %s of them', async (_, left, gone) => {
    const about = { from: 'node-1', to: 'node-2', drawers: left };
    await expect(moved.moving((all) => all.move(about), moved.killedAfter('leaving'))).rejects.toThrow();
    const backup = await DatabaseBackup.take(first);
    await moved.giveUp();
    await moved.moving((all) => all.move({ from: 'node-1', to: 'home', drawers: gone }));
    shown = await moved.showAll();
    await backup.restore();
    await expectRefusedByServers(['/tokens']);
    await expectRefusedByCommands();
    await expect(
      moved.moving((all) => all.release({ from: 'node-1', to: 'home' }), moved.killedAfter('taken-back')),
    ).rejects.toThrow();
    await expectRefusedByCommands();
    await release('node-1', 'home');
    await expectAllInOrder();
  });
});

it('drawers that have left two databases are released by the one that was restored', async () => {
  await moved.killMove('node-1', 'node-2', 'leaving');
  const backup = await DatabaseBackup.take(first);
  await moved.giveUp();
  await moved.move('node-1', 'home');
  for (const id of await listIds(moved.vault.database)) await moved.patch(tenant, id, { metadata: { name: 'new' } });
  shown = await moved.showAll();
  await moved.killMove('home', 'node-2', 'uncounted');
  await backup.restore();
  await expectRefusedByCommands();
  await release('node-1', 'home');
  expect(await moved.finish()).toMatchObject([{ from: 'home', to: 'node-2', drawers: 2_048 }]);
  await expectAllInOrder();
});

it('a release that was stopped is completed before a move of the same drawers', async () => {
  const backup = await DatabaseBackup.take(second);
  await moved.move('node-2', 'node-1');
  shown = await moved.showAll();
  const backAgain = { from: 'node-1', to: 'node-2' };
  await expect(moved.moving((all) => all.move(backAgain), moved.killedAfter('copied'))).rejects.toThrow();
  await backup.restore();
  const releasing = { from: 'node-2', to: 'node-1' };
  await expect(moved.moving((all) => all.release(releasing), moved.killedAfter('released'))).rejects.toThrow();
  expect(await moved.finish()).toMatchObject([releasing, backAgain]);
  await expectAllInOrder();
});

describe('a release that was stopped', () => {
  beforeEach(async () => {
    const backup = await DatabaseBackup.take(first);
    await moved.move('node-1', 'node-2');
    shown = await moved.showAll();
    await backup.restore();
    const stopped = moved.moving((all) => all.release({ from: 'node-1', to: 'node-2' }), moved.killedAfter('released'));
    await expect(stopped).rejects.toThrow();
  });

  it('lets servers go on, and is completed by the next command', async () => {
    await moved.vault.server.core.nodes.lookAgain();
    const key = tenant.keys.reveal;
    for (const id of await listIds(second)) {
      expect((await moved.vault.request('GET', `/tokens/${id}`, { key })).status).toBe(200);
    }
    await expect(moved.giveUp()).rejects.toThrow('nodes release --from node-1 --to node-2');
    expect(await moved.finish()).toMatchObject([{ from: 'node-1', to: 'node-2', isGivenUp: false }]);
    await expectAllInOrder();
  });

  it('is completed by another', async () => {
    await release('node-1', 'node-2');
    await expectAllInOrder();
  });

  it('is undone by the opposite one', async () => {
    await release('node-2', 'node-1');
    expect(await moved.finish()).toMatchObject([{ from: 'node-1', to: 'node-2', isGivenUp: true }]);
    await expectAllInOrder();
  });
});

it('drawers that were received are served, whether or not their source knows it', async () => {
  shown = await moved.showAll();
  await moved.killMove('node-1', 'node-2', 'held');
  await moved.vault.server.core.nodes.lookAgain();
  expect(await moved.showAll()).toEqual(shown);
  await moved.finish();
  await expectAllInOrder();
});

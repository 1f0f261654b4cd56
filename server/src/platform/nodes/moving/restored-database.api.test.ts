import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseBackup } from '../../../../test/harness/database-backup.ts';
import { untilTrue } from '../../../../test/harness/deadline.ts';
import { MovingVault } from '../../../../test/harness/moving-vault.ts';
import { listDatabases, listDisorder } from '../../../../test/harness/node-inventory.ts';
import type { TestDatabase } from '../../../../test/harness/test-database.ts';
import { drawerOf, DrawerSet } from '../drawers.ts';
import type { MoveStep } from './move-step.ts';

let moved: MovingVault;
let source: TestDatabase;
let target: TestDatabase;

beforeAll(async () => {
  moved = await MovingVault.start();
  const [, first, second] = listDatabases(moved.vault).map(({ database }) => database);
  if (first === undefined || second === undefined) throw new Error('There are no nodes.');
  [source, target] = [first, second];
});
afterAll(() => moved.vault.stop());
afterEach(() =>
  moved.moving(async (all) => {
    for (const move of await all.planBalance({ withoutHome: true })) await all.move(move);
  }),
);

/** What there was after all changes. */
let shown: Map<string, string>;

/** The same, only of tokens in drawers that move: a target that was restored has lost changes of its own. */
let shownMoved: Map<string, string>;
let moving = DrawerSet.of([]);

async function showMoved(): Promise<Map<string, string>> {
  const tokens = [...(await moved.showAll())].filter(([path]) => path.startsWith('/tokens/'));
  return new Map(tokens.filter(([path]) => moving.has(drawerOf(path.slice('/tokens/'.length)))));
}

async function readHeld({ owner }: TestDatabase): Promise<DrawerSet> {
  const { rows } = await owner.query<{ held: Buffer }>('select held from held_drawers');
  return new DrawerSet(rows[0]?.held ?? Buffer.alloc(0));
}

/** Moves until a step is done, with a backup of one database from after an earlier step. */
async function moveWithBackup(of: TestDatabase, { from, until }: { from: MoveStep; until: MoveStep }) {
  let backup: DatabaseBackup | undefined;
  const killed = moved.move('node-1', 'node-2', {
    async onStep(step) {
      if (step === from) backup ??= await DatabaseBackup.take(of);
      if (step === 'copied') await changeAll();
      if (step === until && until !== 'ended') await moved.endSessions(['home', 'node-1', 'node-2']);
    },
  });
  if (until === 'ended') await killed;
  else await expect(killed).rejects.toThrow();
  if (backup === undefined) throw new Error('There is no backup.');
  return backup;
}

/** Changes, deletes and adds tokens wherever they are. */
async function changeAll(): Promise<void> {
  const [tenant] = moved.tenants;
  if (tenant === undefined) return;
  const [, ...paths] = [...(await moved.showAll([tenant])).keys()];
  const ids = paths.map((path) => path.slice('/tokens/'.length));
  for (const [index, id] of ids.entries()) {
    if (index % 3 > 0) await moved.patch(tenant, id, { data: { cvc: '222' }, containers: ['/changed/'] });
    else {
      await moved.delete(tenant, id);
      await moved.create(tenant, `late${index}`);
    }
  }
  shown = await moved.showAll();
  shownMoved = await showMoved();
}

/** As in a failover or a restore: servers have to connect again. */
async function endServerSessions(): Promise<void> {
  for (const { database } of listDatabases(moved.vault)) {
    await database.owner.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where datname = current_database() and starts_with(application_name, 'strongroom/')`,
    );
  }
}

const someDrawers = { from: 'node-2', to: 'node-1', drawers: 10 };
const countTokens = async ({ owner }: TestDatabase) => (await owner.query('select 1 from tokens')).rowCount;

describe('a move continued after the target was restored', () => {
  it.each<[MoveStep, MoveStep]>([
    ['began', 'copied'],
    ['copied', 'followed'],
    ['began', 'leaving'],
    ['began', 'uncounted'],
    ['followed-all', 'uncounted'],
    ['uncounted', 'arrived'],
  ])('to after "%s", from after "%s", copies again what is missing', async (from, until) => {
    moving = await readHeld(source);
    const backup = await moveWithBackup(target, { from, until });
    await backup.restore();
    expect(await moved.finish()).toMatchObject([{ from: 'node-1', to: 'node-2', isGivenUp: false }]);
    expect(await listDisorder(moved.vault)).toEqual([]);
    expect(await showMoved()).toEqual(shownMoved);
  });

  it.each<MoveStep>(['page-deleted', 'ended'])(
    'to before it had received drawers, from after "%s", is refused and deletes nothing',
    async (until) => {
      const backup = await moveWithBackup(target, { from: 'uncounted', until });
      const newest = await DatabaseBackup.take(target);
      const left = await countTokens(source);
      await backup.restore();
      const copies = await countTokens(target);
      await expect(moved.moving((all) => all.finish().then(() => all.move(someDrawers)))).rejects.toThrow(
        'After a restore',
      );
      expect([await countTokens(source), await countTokens(target)]).toEqual([left, copies]);
      await newest.restore();
      await moved.finish();
      expect(await listDisorder(moved.vault)).toEqual([]);
    },
  );
});

describe('a move continued after the source was restored', () => {
  it.each<[MoveStep, MoveStep]>([
    ['began', 'copied'],
    ['page-copied', 'followed'],
    ['began', 'uncounted'],
  ])('to after "%s", from after "%s", copies the source as it is now', async (from, until) => {
    const backup = await moveWithBackup(source, { from, until });
    await backup.restore();
    shown = await moved.showAll();
    await moved.finish();
    expect(await listDisorder(moved.vault)).toEqual([]);
    expect(await moved.showAll()).toEqual(shown);
  });

  it('to after "leaving", from after its end, deletes what has arrived', async () => {
    const backup = await moveWithBackup(source, { from: 'leaving', until: 'ended' });
    await backup.restore();
    await moved.finish();
    expect(await listDisorder(moved.vault)).toEqual([]);
    expect(await moved.showAll()).toEqual(shown);
  });

  it.each<MoveStep>(['began', 'followed'])('to after "%s", from after its end, is refused', async (from) => {
    const backup = await moveWithBackup(source, { from, until: 'ended' });
    const newest = await DatabaseBackup.take(source);
    const arrived = await countTokens(target);
    await backup.restore();
    // Nobody knows which of the two is right: neither is asked.
    const [tenant] = moved.tenants;
    const key = tenant?.keys.reveal ?? '';
    await moved.vault.server.core.nodes.lookAgain();
    expect((await moved.vault.request('GET', '/tokens', { key })).status).toBe(503);
    await expect(moved.finish()).rejects.toThrow('both claim some drawers');
    await expect(moved.giveUp()).rejects.toThrow('both claim some drawers');
    expect(await countTokens(target)).toBe(arrived);
    await newest.restore();
    expect(await moved.finish()).toEqual([]);
    expect(await moved.showAll()).toEqual(shown);
  });

  it.each<MoveStep>(['began', 'followed'])(
    'to after "%s", from after its end, releases what it holds again',
    async (from) => {
      const backup = await moveWithBackup(source, { from, until: 'ended' });
      await backup.restore();
      const again = { from: 'node-1', to: 'node-2' };
      // Stopped, and run again.
      await expect(moved.moving((all) => all.release(again), moved.killedAfter('arrived'))).rejects.toThrow();
      await moved.finish();
      expect(await listDisorder(moved.vault)).toEqual([]);
      expect(await moved.showAll()).toEqual(shown);
      await expect(moved.moving((all) => all.release(again))).rejects.toThrow('no drawer that both');
    },
  );

  it('to before drawers left is not written to by a server that has not heard of the move', async () => {
    moving = await readHeld(source);
    const backup = await moveWithBackup(source, { from: 'followed', until: 'ended' });
    await backup.restore();
    await endServerSessions();
    const [tenant] = moved.tenants;
    const key = tenant?.keys.reveal ?? '';
    const { rows } = await target.owner.query<{ id: string }>('select id from tokens where tenant_id = $1', [
      tenant?.id,
    ]);
    const path = `/tokens/${rows.find(({ id }) => moving.has(drawerOf(id)))?.id}`;
    const answers: number[] = [];
    const isRefused = async () => {
      const answer = await moved.vault.request('GET', path, { key });
      answers.push(answer.status);
      return answer.status === 200 || answer.text.includes('being moved');
    };
    await untilTrue(isRefused, { waitingFor: 'a connection to the restored database' });
    const headers = { 'content-type': 'application/merge-patch+json' };
    const patched = await moved.vault.request('PATCH', path, { key, body: { metadata: { name: 'lost' } }, headers });
    expect([...new Set(answers), patched.status]).toEqual([503, 503]);
    await moved.moving((all) => all.release({ from: 'node-1', to: 'node-2' }));
    expect(await listDisorder(moved.vault)).toEqual([]);
    expect(await moved.showAll()).toEqual(shown);
  });

  it('to before drawers left that have come back since deletes nothing', async () => {
    await moved.killMove('node-1', 'node-2', 'leaving');
    const backup = await DatabaseBackup.take(source);
    await moved.finish();
    await moved.move('node-2', 'node-1');
    const newest = await DatabaseBackup.take(source);
    await backup.restore();
    const left = await countTokens(source);
    await expect(moved.finish()).rejects.toThrow('After a restore');
    expect(await countTokens(source)).toBe(left);
    await newest.restore();
    expect(await moved.finish()).toEqual([]);
    expect(await listDisorder(moved.vault)).toEqual([]);
  });

  it('to where one move had arrived, from where another has followed, releases the other', async () => {
    const some = { from: 'node-1', drawers: 1_000 };
    const stopped = moved.moving((all) => all.move({ ...some, to: 'node-2' }), moved.killedAfter('arrived'));
    await expect(stopped).rejects.toThrow();
    const backup = await DatabaseBackup.take(source);
    await moved.finish();
    await moved.moving((all) => all.move({ ...some, to: 'home' }));
    shown = await moved.showAll();
    await backup.restore();
    await expect(moved.finish()).rejects.toThrow('both claim some drawers');
    await moved.moving((all) => all.release({ from: 'node-1', to: 'home' }));
    expect(await listDisorder(moved.vault)).toEqual([]);
    expect(await moved.showAll()).toEqual(shown);
  });

  it('to before it was guarded is guarded again', async () => {
    for (const table of ['tokens', 'token_terms', 'token_cvcs']) {
      await source.owner.query(`drop policy ${table}_in_drawers on ${table}`);
    }
    await moved.vault.database.owner.query('delete from vault_nodes');
    await moved.moving((all) => all.move({ from: 'node-1', to: 'node-2', drawers: 5 }));
    const { rowCount } = await source.owner.query(`select from pg_policies where policyname like '%_in_drawers'`);
    expect(rowCount).toBe(3);
    const { rows } = await moved.vault.database.owner.query('select name from vault_nodes order by name');
    expect(rows).toEqual([{ name: 'node-1' }, { name: 'node-2' }]);
  });

  it('to where changes were not listed lists them before it copies again', async () => {
    await moved.killMove('node-1', 'node-2', 'leaving');
    for (const table of ['tokens', 'token_cvcs']) {
      for (const event of ['written', 'deleted']) {
        await source.owner.query(`drop trigger ${table}_${event}_in_moving on ${table}`);
      }
    }
    await moved.moving((all) => all.finish(), {
      async onStep(step) {
        if (step === 'copied') await changeAll();
      },
    });
    expect(await listDisorder(moved.vault)).toEqual([]);
    expect(await moved.showAll()).toEqual(shown);
  });

  it('to before it began leaves copies that the next move does not count', async () => {
    const before = await DatabaseBackup.take(source);
    await moved.killMove('node-1', 'node-2', 'copied');
    await before.restore();
    shown = await moved.showAll();
    await moved.moving((all) => all.move({ from: 'node-1', to: 'node-2', drawers: 5 }));
    expect(await listDisorder(moved.vault)).toEqual([]);
    expect(await moved.showAll()).toEqual(shown);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../../test/harness/deadline.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { TokenEndpoints } from '../../../../test/harness/token-endpoints.ts';
import { addNode } from '../node-adding-store.ts';
import { nameProcess } from '../process-name.ts';
import type { MoveWatch } from './drawer-mover.ts';
import { DrawerMoving } from './drawer-moving.ts';
import type { MoveStep } from './move-step.ts';

/** Started when the vault had one database, and not restarted since. */
let vault: TestVault;
let east: TestDatabase;
let tenant: TestTenant;
let tokens: TokenEndpoints;
let id: string;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 0 });
  tenant = await vault.makeTenant();
  tokens = new TokenEndpoints(vault, tenant.keys.reveal);
  ({ id } = await tokens.make({ data: 'kept' }));
  east = await createTestDatabase();
  const [home, node] = databases();
  await addNode(home, node);
});
afterAll(async () => {
  // So that it can say goodbye.
  await vault.database.owner.query('update vault_nodes set is_used = false');
  await vault.stop();
  await east.drop();
});

const databases = () =>
  [
    { name: 'home', ownerUrl: vault.database.url },
    { name: 'east', ownerUrl: east.url },
  ] as const;
const moveAll = (watch: MoveWatch = {}) =>
  DrawerMoving.with({ nodes: databases(), watch }, (moving) => moving.move({ from: 'home', to: 'east' }));
const finish = () => DrawerMoving.with({ nodes: databases() }, (moving) => moving.finish());
const endSessions = (name = 'strongroom') =>
  vault.database.owner.query(
    'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and application_name = $1',
    [name],
  );
const countAt = async ({ owner }: TestDatabase) =>
  (await owner.query<{ tokens: number }>('select count(*)::int as tokens from tokens')).rows[0]?.tokens;
const countReceipts = async () => (await east.owner.query('select from drawer_receipts')).rowCount;
/** A request of its own tries to connect. */
const isConnected = async () => (await tokens.get(id)).status < 500;
const isUsed = async () =>
  (await vault.database.owner.query<{ is_used: boolean }>('select is_used from vault_nodes')).rows;
const statuses = async () => {
  const list = await vault.request('GET', '/tokens', { key: tenant.keys.reveal });
  const made = await vault.request('POST', '/tokens', { key: tenant.keys.reveal, body: { type: 'token', data: 'x' } });
  return [(await tokens.get(id)).status, list.status, made.status];
};

describe('a process that was started before a node was added', () => {
  it('goes on serving while the node holds nothing, also over new connections', async () => {
    expect(await statuses()).toEqual([200, 200, 201]);
    await endSessions();
    await untilTrue(async () => (await tokens.get(id)).status === 200, { waitingFor: 'a new connection' });
    expect(await statuses()).toEqual([200, 200, 201]);
  });

  it('keeps tokens from being moved for as long as it is connected', async () => {
    await tokens.get(id);
    const before = await countAt(vault.database);
    await expect(moveAll()).rejects.toThrow(/servers or workers that do not know all nodes.*Restart every server/);
    expect(await isUsed()).toEqual([{ is_used: false }]);
    expect([await countAt(vault.database), await countAt(east)]).toEqual([before, 0]);
    expect(await statuses()).toEqual([200, 200, 201]);
  });

  it.each<MoveStep>(['copied', 'leaving'])(
    'keeps a move from being completed that was interrupted after "%s" and is not noted at home any more',
    async (interrupted) => {
      let isInterrupted = false;
      const isBegun = async () => {
        await endSessions();
        await moveAll({
          async onStep(step) {
            if (step !== interrupted) return;
            isInterrupted = true;
            await endSessions('strongroom nodes');
          },
        }).catch(() => undefined);
        return isInterrupted;
      };
      await untilTrue(isBegun, { waitingFor: 'a moment without its connections' });
      // Home has failed over without that commit, and forgotten the node as well.
      await vault.database.owner.query('delete from vault_nodes');
      await untilTrue(isConnected, { waitingFor: 'its connections' });
      await expect(finish()).rejects.toThrow(/servers or workers that do not know all nodes/);
      expect(await isUsed()).toEqual([{ is_used: false }]);
      expect(await countReceipts()).toBe(0);
      await DrawerMoving.with({ nodes: databases() }, (moving) => moving.giveUp());
      expect((await tokens.get(id)).status).toBe(200);
    },
  );

  it('gets no connection once tokens have moved, so that it takes none of them for lost', async () => {
    const isMoved = async () => {
      await endSessions();
      return moveAll().then(
        () => true,
        () => false,
      );
    };
    await untilTrue(isMoved, { waitingFor: 'a moment without its connections' });
    expect(await isUsed()).toEqual([{ is_used: true }]);
    expect([await countAt(vault.database), (await countAt(east)) ?? 0]).toEqual([0, expect.any(Number)]);
    expect(await statuses()).toEqual([503, 503, 503]);
    expect(vault.logLines.join('\n')).toContain('tokens are on east since it was started');
  });
});

describe('the name of a process', () => {
  it('tells which nodes it knows, in whatever order they were named', () => {
    const [east1, west1] = [{ name: 'east' }, { name: 'west' }];
    expect(nameProcess([])).toBe('strongroom');
    expect(nameProcess([east1, west1])).toBe(nameProcess([west1, east1]));
    expect(nameProcess([east1, west1])).not.toBe(nameProcess([east1]));
    expect(nameProcess([east1])).toMatch(/^strongroom\/[0-9a-f]{8}$/);
  });
});

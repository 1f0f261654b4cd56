import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseTenantId, type TenantId } from '../../../core/identity/ids.ts';
import { untilTrue } from '../../../../test/harness/deadline.ts';
import { listDisorder, ownedNodes } from '../../../../test/harness/node-inventory.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../../../../test/harness/token-endpoints.ts';
import type { Database } from '../../database/database.ts';
import { isRefusedByPolicy } from '../../database/database-error.ts';
import { DrawerMoving } from './drawer-moving.ts';
import type { MoveWatch } from './drawer-mover.ts';
import type { MoveStep } from './move-step.ts';

let vault: TestVault;
let other: { readonly url: string };
let tenant: TestTenant;
let tenantId: TenantId;
let tokens: TokenEndpoints;
/** As a server reaches it. */
let source: Database;

beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
  other = await vault.startAnother();
  tenant = await vault.makeTenant();
  tenantId = parseTenantId(tenant.id);
  tokens = new TokenEndpoints(vault, tenant.keys.reveal);
  const [first] = vault.nodes;
  if (first === undefined) throw new Error('There are no nodes.');
  source = first.database.open();
});
afterAll(() => vault.stop());
beforeEach(async () => {
  await DrawerMoving.with({ nodes: ownedNodes(vault) }, async (moving) => {
    for (const { from, to, drawers } of await moving.planBalance({ withoutHome: true })) {
      await moving.move({ from, to, drawers });
    }
  });
});

const moveAll = (watch?: MoveWatch) =>
  DrawerMoving.with({ nodes: ownedNodes(vault), watch }, (moving) => moving.move({ from: 'node-1', to: 'node-2' }));

/** A token that the first node holds. */
async function makeAtSource(): Promise<string> {
  for (;;) {
    const { id } = await tokens.make({ data: 'at first', metadata: { place: 'source' } });
    const found = await source.runForTenant(tenantId, {
      text: 'select 1 from tokens where tenant_id = $1 and id = $2',
      values: [tenantId, id],
    });
    if (found.length > 0) return id;
  }
}

describe('a server that has not heard of a move', () => {
  it('finds, lists, changes and deletes tokens where they are now', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, makeAtSource));
    const url = { url: other.url };
    for (const id of ids) expect((await tokens.get(id, url)).status).toBe(200);
    await moveAll();
    const [read = '', patched = '', deleted = '', ...rest] = ids;
    const page = await vault.request('GET', `/tokens?${ids.map((id) => `id=${id}`).join('&')}`, {
      key: tenant.keys.reveal,
      ...url,
    });
    expect(page.body).toMatchObject({ pagination: { total_items: ids.length } });
    expect(tokenOf(await tokens.get(read, url)).data).toBe('at first');
    expect((await tokens.patch(patched, { data: 'changed' }, url)).status).toBe(200);
    expect((await tokens.delete(deleted, url)).status).toBe(204);
    expect((await tokens.get(deleted, url)).status).toBe(404);
    expect(tokenOf(await tokens.get(patched)).data).toBe('changed');
    for (const id of rest) expect((await tokens.get(id, url)).status).toBe(200);
    expect(await listDisorder(vault)).toEqual([]);
  });
});

describe('the database that drawers have left', () => {
  it.each<MoveStep>(['leaving', 'uncounted', 'held', 'arrived'])(
    'neither shows nor changes nor takes their tokens after "%s"',
    async (step) => {
      const id = await makeAtSource();
      const found: unknown[] = [];
      await moveAll({
        async onStep(done) {
          if (done === step) found.push(...(await tryEverything(id)));
        },
      });
      expect(found).toEqual([0, 0, 0, 'refused']);
      expect(tokenOf(await tokens.get(id)).data).toBe('at first');
    },
  );

  it('is not left before a transaction ends that writes there, and takes along what it has written', async () => {
    const id = await makeAtSource();
    const steps: MoveStep[] = [];
    let moving: Promise<unknown> | undefined;
    await source.forTenant(tenantId, async (tx) => {
      // Begun when changes are listed already, so that only the last wait is for this one.
      await new Promise<void>((resolve) => {
        moving = moveAll({
          async onStep(step) {
            steps.push(step);
            if (step !== 'followed') return;
            await tx.query({
              text: `update tokens set metadata = '{"place":"late"}' where tenant_id = $1 and id = $2`,
              values: [tenantId, id],
            });
            resolve();
          },
        });
      });
      await untilTrue(isLockWanted, { waitingFor: 'the move to wait for the writer' });
      expect(steps.at(-1)).toBe('followed');
    });
    await moving;
    expect(steps).toContain('leaving');
    expect((await tokens.get(id)).body).toMatchObject({ metadata: { place: 'late' } });
    expect(await listDisorder(vault)).toEqual([]);
  });
});

async function isLockWanted(): Promise<boolean> {
  const found = await vault.nodes[0]?.database.owner.query(
    `select 1 from pg_locks where relation = 'tokens'::regclass and mode = 'ShareLock' and not granted`,
  );
  return found?.rowCount === 1;
}

/** What a server could do that still believes that the token is there. */
async function tryEverything(id: string): Promise<unknown[]> {
  const run = async (text: string) => (await source.runForTenant(tenantId, { text, values: [tenantId, id] })).length;
  const where = 'where tenant_id = $1 and id = $2';
  return [
    await run(`select 1 from tokens ${where}`),
    await run(`update tokens set mask = null ${where} returning 1`),
    await run(`delete from tokens ${where} returning 1`),
    await run(
      `insert into tokens (tenant_id, id, type, data, containers, shelf) values ($1, $2, 'token', '', '{/}', 'token /')`,
    ).catch((error: unknown) => (isRefusedByPolicy(error) ? 'refused' : error)),
  ];
}

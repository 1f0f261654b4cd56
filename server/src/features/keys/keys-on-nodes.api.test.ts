import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ownedNodes } from '../../../test/harness/node-inventory.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { parseTenantId, type TenantId } from '../../core/identity/ids.ts';
import { readAcquaintance, writeAcquaintance } from '../../platform/nodes/node-store.ts';
import { DrawerMoving } from '../../platform/nodes/moving/drawer-moving.ts';
import { sealedAnswers } from '../idempotency/index.ts';
import { sealedTokens } from '../tokens/index.ts';
import { rotateDataKey } from './data-rotation.ts';
import { KeyRetirement } from './key-retirement.ts';
import { Reencryption } from './reencryption.ts';

const tables = [sealedTokens, sealedAnswers];
const fast = { rowsPerSecond: 1_000_000, onProgress: () => undefined };

let vault: TestVault;
let tenant: TestTenant;
let tenantId: TenantId;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
});
afterAll(() => vault.stop());
beforeEach(async () => {
  tenant = await vault.makeTenant();
  tenantId = parseTenantId(tenant.id);
});

const core = () => vault.server.core;
const reencryption = (own = tables) =>
  new Reencryption({ nodes: core().nodes, keyring: core().keyring, tables: own, settleMs: 0 });
const retirement = () => new KeyRetirement({ nodes: core().nodes, tables, closedForMinMs: 0 });
const rotate = () => rotateDataKey(core(), tenantId);

async function createTokens(count: number, headers: Record<string, string> = {}): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      vault.request('POST', '/tokens', {
        key: tenant.keys.private,
        headers,
        body: { type: 'token', data: `value ${index}` },
      }),
    ),
  );
  return answers.map(({ body }) => (body as { id: string }).id);
}

async function readData(id: string): Promise<unknown> {
  const answer = await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.reveal });
  return (answer.body as { data: unknown }).data;
}

async function versionsOnNodes(): Promise<number[][]> {
  return Promise.all(
    vault.nodes.map(async ({ database }) => {
      const { rows } = await database.owner.query<{ version: number }>(
        'select distinct key_version(data) as version from tokens where tenant_id = $1 order by 1',
        [tenantId],
      );
      return rows.map(({ version }) => version);
    }),
  );
}

async function closedOnNodes(): Promise<number[][]> {
  return Promise.all(
    vault.nodes.map(async ({ database }) => {
      const { rows } = await database.owner.query<{ version: number }>(
        `select version from tenant_keys where tenant_id = $1 and purpose = 'data' and closed_at is not null order by 1`,
        [tenantId],
      );
      return rows.map(({ version }) => version);
    }),
  );
}

describe('re-encryption', () => {
  it('brings the tokens of every node under the newest key, and what is kept at home', async () => {
    const ids = await createTokens(30);
    await createTokens(1, { 'bt-idempotency-key': 'once' });
    await rotate();
    const report = await reencryption().run(tenantId, fast);
    expect(report).toEqual({ targetVersion: 2, read: 32, changed: 32, unreadable: [] });
    expect(await versionsOnNodes()).toEqual([[2], [2]]);
    expect(await closedOnNodes()).toEqual([[1], [1]]);
    for (const [index, id] of ids.entries()) expect(await readData(id)).toBe(`value ${index}`);
    const { body } = await vault.request('GET', '/tenants/self/encryption-keys', { key: tenant.keys.management });
    expect(body).toMatchObject({
      reencryption: { target_version: 2, finished_at: expect.any(String), rows_read: 32, rows_expected: 31 },
    });
  });

  it('goes on where it was killed, on whichever node', async () => {
    await createTokens(40);
    await rotate();
    let steps = 0;
    const dying = {
      ...sealedTokens,
      list: (...parts: Parameters<typeof sealedTokens.list>) => {
        steps += 1;
        if (steps === 5) throw new Error('Killed, as planned.');
        return sealedTokens.list(...parts);
      },
    };
    const slow = { ...fast, rowsPerSecond: 50 };
    await expect(reencryption([dying]).run(tenantId, slow)).rejects.toThrow('as planned');
    const half = await vault.request('GET', '/tenants/self/encryption-keys', { key: tenant.keys.management });
    expect(half.body).toMatchObject({ reencryption: { target_version: 2 } });
    expect((half.body as { reencryption: object }).reencryption).not.toHaveProperty('finished_at');
    expect(await reencryption().run(tenantId, fast)).toMatchObject({ read: 40, changed: 40 });
    expect(await versionsOnNodes()).toEqual([[2], [2]]);
  });

  it('finds tokens that have come to a part which it had finished', async () => {
    await createTokens(20);
    const [node] = vault.nodes;
    await rotate();
    await reencryption([sealedAnswers]).run(tenantId, fast);
    // Its tokens are still under the old key, as if they had moved here from a part that was to be gone through later.
    await node?.database.owner.query(
      `insert into reencryptions (tenant_id, source, target_version, finished_at) values ($1, 'tokens', 2, now())`,
      [tenantId],
    );
    await reencryption().run(tenantId, fast);
    expect(await versionsOnNodes()).toEqual([[2], [2]]);
  });
});

describe('re-encryption while drawers move', () => {
  const move = (from: string, to: string, drawers?: number) =>
    DrawerMoving.with({ nodes: ownedNodes(vault) }, (moving) =>
      moving.move({ from, to, ...(drawers === undefined ? {} : { drawers }) }),
    );

  /** Does something once before the tokens of a node are read. */
  function beforeReading(name: string, work: () => Promise<unknown>): typeof sealedTokens {
    let times = 0;
    return {
      ...sealedTokens,
      async list(tx, ...rest) {
        const [row] = await tx.query<{ node: string }>({ text: 'select node from held_drawers' });
        if (row?.node === name && times === 0) {
          times += 1;
          await work();
        }
        return sealedTokens.list(tx, ...rest);
      },
    };
  }

  it('is done only once tokens are done that went past it, to a node that it had left', async () => {
    const ids = await createTokens(20);
    await rotate();
    const moving = beforeReading('node-2', () => move('node-2', 'node-1'));
    const report = await reencryption([moving]).run(tenantId, fast);
    expect(report).toMatchObject({ targetVersion: 2, read: 20, unreadable: [] });
    expect(await versionsOnNodes()).toEqual([[2], []]);
    await move('node-1', 'node-2', 2_048);
    for (const [index, id] of ids.entries()) expect(await readData(id)).toBe(`value ${index}`);
  });

  it('does not pass for done while drawers keep moving', async () => {
    await createTokens(10);
    await rotate();
    let count = 0;
    const restless = {
      ...sealedTokens,
      async listVersions(...parts: Parameters<typeof sealedTokens.listVersions>) {
        count += 1;
        await (count % 2 === 0 ? move('node-1', 'node-2', 1) : move('node-2', 'node-1', 1));
        return sealedTokens.listVersions(...parts);
      },
    };
    await expect(reencryption([restless]).run(tenantId, fast)).rejects.toThrow('being moved');
    const { body } = await vault.request('GET', '/tenants/self/encryption-keys', { key: tenant.keys.management });
    expect((body as { reencryption: object }).reencryption).not.toHaveProperty('finished_at');
    expect(await reencryption().run(tenantId, fast)).toMatchObject({ targetVersion: 2, read: 10 });
    expect(await versionsOnNodes()).toEqual([[2], [2]]);
  });
});

/** Retires the key, and then nodes hear from a slow server how it was before. */
async function retireBeforeTold(): Promise<void> {
  const early = await readAcquaintance(core().database, tenantId);
  if (early === undefined) throw new Error('There is no tenant.');
  await rotate();
  await reencryption().run(tenantId, fast);
  await retirement().run(tenantId, () => undefined);
  for (const { database } of core().nodes.all.slice(1)) await writeAcquaintance(database, tenantId, early);
}

describe('retiring a key', () => {
  it('counts the rows of every node, and destroys the key at zero', async () => {
    await createTokens(10);
    await rotate();
    await reencryption([sealedAnswers]).run(tenantId, fast);
    expect(await retirement().run(tenantId, () => undefined)).toEqual({ retired: [], inUse: new Map([[1, 10]]) });
    await reencryption().run(tenantId, fast);
    expect(await retirement().run(tenantId, () => undefined)).toEqual({ retired: [1], inUse: new Map() });
    await createTokens(1);
  });

  it('leaves the version closed on the nodes, whatever a slow server tells them afterwards', async () => {
    await createTokens(4);
    await retireBeforeTold();
    expect(await closedOnNodes()).toEqual([[1], [1]]);
  });

  it('knows of nodes that have never heard of the tenant', async () => {
    // No token, so that no node knows the tenant.
    await retireBeforeTold();
    expect(await closedOnNodes()).toEqual([[1], [1]]);
  });

  it('waits until drawers lie still', async () => {
    await createTokens(4);
    await rotate();
    await reencryption().run(tenantId, fast);
    const { owner } = vault.nodes[0]?.database ?? vault.database;
    const { rows } = await owner.query<{ held: Buffer }>('select held from held_drawers');
    await owner.query('update held_drawers set held = set_bit(held, 0, 1 - get_bit(held, 0))');
    await expect(retirement().run(tenantId, () => undefined)).rejects.toThrow('being moved');
    await owner.query('update held_drawers set held = $1', [rows[0]?.held]);
    expect(await retirement().run(tenantId, () => undefined)).toMatchObject({ retired: [1] });
  });
});

it('reports the use of all nodes together', async () => {
  await createTokens(15);
  const { body } = await vault.request('GET', '/tenants/self/reports/usage', { key: tenant.keys.management });
  expect(body).toMatchObject({ total_tokens: 15, token_report: { metrics_by_type: { token: { count: 15 } } } });
});

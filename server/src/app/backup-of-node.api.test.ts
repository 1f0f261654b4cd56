import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownedNodes } from '../../test/harness/node-inventory.ts';
import type { TestDatabase } from '../../test/harness/test-database.ts';
import { type TestTenant, TestVault } from '../../test/harness/test-vault.ts';
import type { VaultConfig } from '../platform/config/config.ts';
import type { MoveStep } from '../platform/nodes/moving/move-step.ts';
import { DrawerMoving } from '../platform/nodes/moving/drawer-moving.ts';
import { checkBackup } from './backup-check.ts';

const run = promisify(execFile);
const tokens = 20;
let vault: TestVault;
let tenant: TestTenant;
let folder: string;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
  tenant = await vault.makeTenant();
  folder = await mkdtemp(path.join(tmpdir(), 'strongroom-node-backup-'));
  await createTokens(tenant, tokens);
});
afterAll(async () => {
  await vault.stop();
  await rm(folder, { recursive: true });
});

async function createTokens(of: TestTenant, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, () =>
      vault.request('POST', '/tokens', { key: of.keys.private, body: { type: 'token', data: 'x' } }),
    ),
  );
}

async function check(url: string, config: VaultConfig = vault.config) {
  const dump = path.join(folder, crypto.randomUUID());
  await run('pg_dump', ['--format=custom', `--file=${dump}`, url]);
  return checkBackup(config, {
    dump,
    sampleSize: undefined,
    unpackedBytesMax: undefined,
    searchPath: process.env['PATH'],
    signal: new AbortController().signal,
    onStep: () => undefined,
    onProgress: () => undefined,
  });
}

it('opens the tokens in the dump of each node with the keys of the home database', async () => {
  const reports = [];
  for (const { database } of vault.nodes) reports.push(await check(database.url));
  const own = reports.flatMap(({ tenants }) => tenants.filter(({ tenantId }) => tenantId === tenant.id));
  expect(own.reduce((sum, { opened }) => sum + opened, 0)).toBe(tokens);
  expect(own.every(({ unopened, missingKeys }) => unopened === 0 && missingKeys.length === 0)).toBe(true);
});

it('names a key that the home database does not have, and tokens that do not open', async () => {
  const [node] = vault.nodes;
  if (node === undefined) throw new Error('There are no nodes.');
  await node.database.owner.query(
    'update tokens set data = set_byte(data, 5, 9) where id = (select min(id) from tokens)',
  );
  const { tenants } = await check(node.database.url);
  expect(tenants).toMatchObject([{ tenantId: tenant.id, unopened: 1, missingKeys: [{ keyVersion: 9, tokens: 1 }] }]);
});

describe('while drawers move from one node to another', () => {
  interface Checked {
    /** What the dumps of both nodes hold of the tenant, together. */
    readonly tokens: number;
    readonly defects: readonly string[];
  }

  async function checkBoth(of: TestTenant): Promise<Checked> {
    const found = { tokens: 0, defects: [] as string[] };
    for (const { name, database } of vault.nodes) {
      const { tenants } = await check(database.url);
      for (const { tenantId, tokens: count, unopenedIds, missingKeys } of tenants) {
        if (tenantId !== of.id) continue;
        found.tokens += count;
        found.defects.push(...unopenedIds.map((id) => `${name} ${id}`));
        found.defects.push(...missingKeys.map(({ keyVersion }) => `${name} lacks key ${keyVersion}`));
      }
    }
    return found;
  }

  /** Makes what a database has of these tokens name a key that the tenant never had. */
  async function spoil(database: TestDatabase, of: TestTenant, ids: readonly string[]): Promise<void> {
    await database.owner.query(
      `update tokens set data = set_byte(data, 5, 9) where tenant_id = $1 and id = any($2::text[])`,
      [of.id, ids],
    );
  }

  async function idsIn(database: TestDatabase, of: TestTenant): Promise<string[]> {
    const { rows } = await database.owner.query<{ id: string }>('select id from tokens where tenant_id = $1', [of.id]);
    return rows.map(({ id }) => id);
  }

  const places = () => {
    const [first, second] = vault.nodes;
    if (first === undefined || second === undefined) throw new Error('There are no nodes.');
    return { source: first.database, target: second.database };
  };

  /** Moves some drawers and back, and looks when the step is done. */
  async function lookAfter(step: MoveStep, look: () => Promise<void>): Promise<void> {
    let looked = 0;
    const watch = {
      onStep: async (done: MoveStep) => {
        if (done !== step || looked > 0) return;
        looked += 1;
        await look();
      },
    };
    await DrawerMoving.with({ nodes: ownedNodes(vault), watch }, (moving) =>
      moving.move({ from: 'node-1', to: 'node-2' }),
    );
    await DrawerMoving.with({ nodes: ownedNodes(vault) }, (moving) =>
      moving.move({ from: 'node-2', to: 'node-1', drawers: 2_048 }),
    );
    expect(looked).toBe(1);
  }

  it.each<MoveStep>(['copied', 'leaving', 'uncounted', 'arrived'])(
    'counts each token once after "%s", and finds those that are spoiled where they count',
    async (step) => {
      const own = await vault.makeTenant();
      await createTokens(own, tokens);
      const { source, target } = places();
      await lookAfter(step, async () => {
        const [atSource, atTarget] = [await idsIn(source, own), await idsIn(target, own)];
        const copied = atSource.filter((id) => atTarget.includes(id));
        expect(copied.length).toBeGreaterThan(0);
        const isAtTarget = step === 'arrived';
        const [counted, hidden] = isAtTarget ? [target, source] : [source, target];
        await spoil(hidden, own, copied);
        expect(await checkBoth(own)).toEqual({ tokens, defects: [] });
        await spoil(counted, own, copied);
        const { defects } = await checkBoth(own);
        const name = isAtTarget ? 'node-2' : 'node-1';
        expect(defects).toContain(`${name} lacks key 9`);
        expect(defects.filter((text) => copied.some((id) => text === `${name} ${id}`)).length).toBeGreaterThan(0);
        expect(defects.every((text) => text.startsWith(name))).toBe(true);
      });
    },
  );
});

it('refuses the dump of a node of another vault', async () => {
  const other = await TestVault.start(undefined, { nodes: 0 });
  // Databases of tests are copies of one.
  await other.database.owner.query('update held_drawers set vault_id = gen_random_uuid()');
  const dumped = vault.nodes[0]?.database.url ?? '';
  await expect(check(dumped, other.config)).rejects.toThrow('of another vault');
  await other.stop();
});

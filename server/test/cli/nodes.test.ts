import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listDisorder, settingsOf } from '../harness/node-inventory.ts';
import { DrawerSet } from '../../src/platform/nodes/drawers.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

const tokens = 60;

let vault: TestVault;
let tenant: TestTenant;
/** Not a node yet, and without a schema. */
let empty: TestDatabase;
let settings: Record<string, string>;
let wider: Record<string, string>;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
  empty = await createTestDatabase('template1');
  tenant = await vault.makeTenant();
  const body = Array.from({ length: tokens }, (_, index) => ({ type: 'token', data: index }));
  for (const one of body) await vault.request('POST', '/tokens', { key: tenant.keys.private, body: one });
  settings = settingsOf(vault);
  wider = { ...settings, STRONGROOM_NODES: `${settings['STRONGROOM_NODES']} east=${empty.url}` };
});
afterEach(() => Program.killAll());
afterAll(async () => {
  await vault.stop();
  await empty.drop();
});

const run = (...command: string[]) => Program.run(['nodes', ...command], settings);
const runWider = (...command: string[]) => Program.run(['nodes', ...command], wider);
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

interface Listed {
  readonly nodes: readonly { name: string; drawers: number; tokens: number; is_reachable: boolean }[];
}
const list = async () => (JSON.parse((await run('list', '--json')).stdout) as Listed).nodes;
const heldBy = async () => Object.fromEntries((await list()).map(({ name, drawers }) => [name, drawers]));

describe('strongroom nodes', () => {
  it('lists what each database holds, for people and for machines', async () => {
    const listed = await list();
    expect(listed).toMatchObject([
      { name: 'home', is_reachable: true, drawers: 0, tokens: 0 },
      { name: 'node-1', is_reachable: true, drawers: 2_048 },
      { name: 'node-2', is_reachable: true, drawers: 2_048 },
    ]);
    expect(listed.reduce((sum, node) => sum + node.tokens, 0)).toBe(tokens);
    const { code, stdout } = await run('list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^NAME +DRAWERS +TOKENS +STATE\nhome +0 +0 +ok\nnode-1 +2048 +\d+ +ok\n/);
  });

  it('says which one cannot be reached, and which is not added yet', async () => {
    const gone = {
      ...settings,
      STRONGROOM_NODES: `${settings['STRONGROOM_NODES']} west=postgresql://127.0.0.1:9/none`,
    };
    const { code, stdout } = await Program.run(['nodes', 'list'], gone);
    expect(code).toBe(1);
    expect(stdout).toMatch(/\nwest +- +- +.*connection refused/);
    const { code: refused, stderr } = await runWider('move', '--from', 'node-1', '--to', 'east');
    expect(refused).toBe(1);
    expect(stderr).toContain('Add it with `strongroom nodes add east`');
    expect((await runWider('list')).stdout).toMatch(/\neast +- +- +not added yet: run `strongroom nodes add east`\n/);
  });

  it('moves drawers, so many as are asked for', async () => {
    const { code, stdout, stderr } = await run('move', '--from', 'node-1', '--to', 'home', '--drawers', '1000');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^Moved 1000 drawers with \d+ tokens from node-1 to home; requests for them waited for up to \d+ ms\.\n$/,
    );
    expect(await heldBy()).toEqual({ home: 1_000, 'node-1': 1_048, 'node-2': 2_048 });
    expect(await listDisorder(vault)).toEqual([]);
    const more = await run('move', '--from', 'node-1', '--to', 'home', '--drawers', '1049');
    expect(more).toMatchObject({ code: 1, stderr: 'node-1 holds 1048 drawers, so that it cannot give 1049.\n' });
  });

  it('says what balance would move, and then moves that', async () => {
    const { stdout: planned } = await run('balance', '--dry-run');
    expect(planned).toBe(
      'Would move 365 drawers from node-2 to home.\nWould move 317 drawers from node-2 to node-1.\n',
    );
    expect(await heldBy()).toMatchObject({ 'node-2': 2_048 });
    const { code, stdout } = await run('balance', '--json');
    expect(code).toBe(0);
    expect(linesOf(stdout)).toMatchObject([
      { from: 'node-2', to: 'home', drawers: 365, gap_ms: expect.any(Number), is_given_up: false },
      { from: 'node-2', to: 'node-1', drawers: 317 },
    ]);
    expect(await heldBy()).toEqual({ home: 1_365, 'node-1': 1_365, 'node-2': 1_366 });
    expect((await run('balance')).stdout).toBe('Nothing had to be moved.\n');
    expect((await run('balance', '--without-home')).code).toBe(0);
    expect(await heldBy()).toEqual({ home: 0, 'node-1': 2_048, 'node-2': 2_048 });
    expect(await listDisorder(vault)).toEqual([]);
  });

  it('completes a move that was killed, whenever that was', async () => {
    const begun = Date.now();
    expect((await run('move', '--from', 'node-1', '--to', 'node-2')).code).toBe(0);
    const takesMs = Date.now() - begun;
    for (const share of [0.5, 0.6, 0.7, 0.8, 0.9]) {
      const { 'node-1': drawers } = await heldBy();
      const [from, to] = drawers === 0 ? ['node-2', 'node-1'] : ['node-1', 'node-2'];
      const program = Program.start(['nodes', 'move', '--from', from, '--to', to], settings);
      await new Promise((resolve) => {
        setTimeout(resolve, takesMs * share);
      });
      await program.stop('SIGKILL');
      expect((await run('move', '--from', from, '--to', to)).code).toBe(0);
      expect(await listDisorder(vault)).toEqual([]);
    }
    const page = await vault.request('GET', '/tokens?size=100', { key: tenant.keys.private });
    expect(page.body).toMatchObject({ pagination: { total_items: tokens } });
  });

  it('releases what a database that was restored holds again', async () => {
    expect(await run('release', '--from', 'node-1', '--to', 'node-2')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no drawer that both node-1 and node-2 hold.') as unknown,
    });
    await run('balance', '--without-home');
    const [first, second] = vault.nodes.map(({ database }) => database.owner);
    await first?.query(`update held_drawers set held = $1`, [DrawerSet.all().toBytes()]);
    const { code, stderr } = await run('move', '--from', 'node-2', '--to', 'home');
    expect([code, stderr]).toEqual([1, expect.stringContaining('node-2 and another database both claim some drawers')]);
    expect(await run('release', '--from', 'node-1', '--to', 'node-2')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2048 drawers') as unknown,
    });
    expect(await listDisorder(vault)).toEqual([]);
    expect((await second?.query('select 1 from tokens'))?.rowCount).toBeGreaterThan(0);
  });

  it('names the node whose schema cannot be updated', async () => {
    const away = { ...settings, STRONGROOM_NODES: 'east=postgresql://nobody@127.0.0.1:1/none' };
    const { code, stderr } = await Program.run(['migrate'], away);
    expect([code, stderr]).toEqual([1, expect.stringContaining('Node east: ')]);
  });

  it('adds an empty database, and refuses one that is in use', async () => {
    expect(await run('add', 'east')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no node east') as unknown,
    });
    for (let time = 0; time < 2; time += 1) {
      expect(await runWider('add', 'east')).toMatchObject({
        code: 0,
        stdout: 'east is a node of this vault. `strongroom nodes balance` moves tokens to it.\n',
      });
    }
    const { stdout } = await runWider('list');
    expect(stdout).toMatch(/\neast +0 +0 +ok\n/);
    const other = { ...settings, STRONGROOM_NODES: `west=${vault.nodes[0]?.database.url ?? ''}` };
    const { code, stderr } = await Program.run(['nodes', 'add', 'west'], other);
    expect(code).toBe(1);
    expect(stderr).toContain('Give the node a database that is empty.');
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../../test/harness/deadline.ts';
import { sealAll, signerOf, untilSealable } from '../../test/harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../../test/harness/test-vault.ts';
import { defaultThresholds } from '../platform/audit/alert-rule.ts';
import { verifyDatabase } from '../platform/audit/log-verification.ts';
import type { NodeContradiction } from '../platform/audit/node-contradiction.ts';
import { NodeContradictionLog } from '../platform/audit/node-contradiction-log.ts';
import { nodeSealJobs } from '../platform/audit/node-seal-job.ts';
import { NodeSealKeeper } from '../platform/audit/node-seal-keeper.ts';
import { Sealer } from '../platform/audit/sealer.ts';
import { Metrics } from '../platform/telemetry/metrics.ts';
import { withLog } from './open-log.ts';
import { startSealing } from './start-sealing.ts';

let vault: TestVault;
let tenant: TestTenant;
let keeper: NodeSealKeeper;
let found: NodeContradiction[];
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
});
afterAll(() => vault.stop());
beforeEach(async () => {
  tenant = await vault.makeTenant();
  found = [];
  keeper = new NodeSealKeeper(nodeSealing());
  await grow();
  await keeper.note();
});

const databases = () =>
  [
    { database: vault.database.open() },
    ...vault.nodes.map(({ name, database }) => ({ node: name, database: database.open() })),
  ] as const;
const nodeSealing = () => ({
  databases: databases(),
  publicKey: signerOf(vault.server).publicKey,
  // What other tests have left in the logs of their tenants says nothing here.
  onContradictions: (all: readonly NodeContradiction[]) =>
    void found.push(...all.filter(({ tenantId }) => tenantId === tenant.id)),
});
function nodeOne() {
  const [node] = vault.nodes;
  if (node === undefined) throw new Error('There are no nodes.');
  return node.database;
}
const owner = () => nodeOne().owner;

const createTokens = () =>
  Promise.all(
    Array.from({ length: 16 }, () =>
      vault.request('POST', '/tokens', { key: tenant.keys.private, body: { type: 'token', data: 'x' } }),
    ),
  );
/** Seals all nodes, as the worker does whose keeper it is. */
async function grow(): Promise<void> {
  await createTokens();
  for (const { name: node, database } of vault.nodes) {
    await untilSealable(database);
    const sealer = new Sealer({ database: database.open(), signer: signerOf(vault.server), node });
    keeper.add((await sealer.seal()).checkpoints);
  }
}
/** As a worker does that need not have signed anything. */
async function runJob(leftToSignerSeconds = 0): Promise<void> {
  for (const job of nodeSealJobs({ ...nodeSealing(), leftToSignerSeconds })) await job.run(undefined);
}
const sealHome = () => sealAll(vault.database, signerOf(vault.server));
const noteAll = () => keeper.note({ everySeconds: 0 });

async function notesOnOne(): Promise<number[]> {
  const { rows } = await vault.database.owner.query<{ number: number }>(
    `select (details::json ->> 'number')::integer as number from audit_records
      where tenant_id = $1 and operation = 'seal' and entity_id = 'node-1' order by created_at`,
    [tenant.id],
  );
  return rows.map(({ number }) => number);
}
async function newestOnOne(): Promise<number> {
  const { rows } = await owner().query<{ number: number }>(
    'select max(number)::integer as number from audit_checkpoints where tenant_id = $1',
    [tenant.id],
  );
  return rows[0]?.number ?? 0;
}
async function cutAfter(number: number): Promise<void> {
  await owner().query(
    `delete from audit_records where tenant_id = $1 and sealing_order >=
      (select order_to from audit_checkpoints where tenant_id = $1 and number = $2)`,
    [tenant.id, number],
  );
  await owner().query('delete from audit_checkpoints where tenant_id = $1 and number > $2', [tenant.id, number]);
}
async function verify(): Promise<string[]> {
  const verdict = await withLog(vault.config, (log) => verifyDatabase(log, tenant.id, { onProgress: () => undefined }));
  return verdict.findings.map(({ kind, node }) => `${kind} ${node ?? 'home'}`);
}

describe('what a worker has signed on a node', () => {
  it('is noted at home even if the node hides it, and missed when it is cut off', async () => {
    const before = await newestOnOne();
    await owner().query(`create policy hide on audit_checkpoints as restrictive for select to strongroom_sealer
      using (number <= ${before} or current_query() not like 'with recursive found%')`);
    await grow();
    await noteAll();
    await runJob();
    await owner().query('drop policy hide on audit_checkpoints');
    const hidden = await newestOnOne();
    expect(hidden).toBeGreaterThan(before);
    expect(await notesOnOne()).toContain(hidden);
    await cutAfter(before);
    await sealHome();
    expect(await verify()).toEqual(['records-missing node-1']);
  });

  it('is told to be missing as soon as it is noted, if it is not there any more', async () => {
    const before = await newestOnOne();
    await grow();
    await cutAfter(before);
    await noteAll();
    expect(found).toEqual([
      { tenantId: tenant.id, node: 'node-1', reason: expect.stringMatching(/ends before checkpoint .* audit verify/) },
    ]);
    await sealHome();
    expect(await verify()).toEqual(['records-missing node-1']);
  });

  it('is noted although another checkpoint of its number is, as in a log that was cut back', async () => {
    const before = await newestOnOne();
    await grow();
    await noteAll();
    await cutAfter(before);
    await grow();
    await noteAll();
    expect(await notesOnOne()).toEqual([before, before + 1, before + 1]);
    await sealHome();
    expect(await verify()).toEqual(['node-differs node-1']);
  });

  it('is noted at most every five minutes, and then the newest', async () => {
    const [first, ...more] = await notesOnOne();
    expect([first, more]).toEqual([await newestOnOne(), []]);
    await grow();
    await grow();
    await keeper.note();
    expect(await notesOnOne()).toEqual([first]);
    await noteAll();
    expect(await notesOnOne()).toEqual([first, await newestOnOne()]);
    await noteAll();
    expect(await notesOnOne()).toHaveLength(2);
  });

  it('is not noted twice if a job has done so', async () => {
    await grow();
    await runJob();
    expect(await notesOnOne()).toHaveLength(2);
    await noteAll();
    expect(await notesOnOne()).toHaveLength(2);
  });

  it('is left to the worker by a job that comes soon after', async () => {
    await grow();
    await runJob(60);
    expect(await notesOnOne()).toHaveLength(1);
  });

  it('is noted although its node cannot be reached, and that of others too', async () => {
    await grow();
    const [home, , second] = databases();
    const away = { node: 'node-1', database: vault.database.open({ url: 'postgresql://127.0.0.1:1/nowhere' }) };
    if (second === undefined) throw new Error('There is no second node.');
    const parts = { ...nodeSealing(), databases: [home, away, second] as const };
    const lonely = new NodeSealKeeper(parts);
    await createTokens();
    for (const { name: node, database } of vault.nodes) {
      await untilSealable(database);
      const sealer = new Sealer({ database: database.open(), signer: signerOf(vault.server), node });
      lonely.add((await sealer.seal()).checkpoints);
    }
    await expect(lonely.note({ everySeconds: 0 })).rejects.toThrow();
    const { rowCount } = await vault.database.owner.query(
      `select from audit_records where tenant_id = $1 and operation = 'seal'`,
      [tenant.id],
    );
    expect(rowCount).toBe(4);
  });

  it('is noted when the worker stops', async () => {
    const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const loop = await startSealing({
      core: vault.server.core,
      databases: databases(),
      config: { anchorFile: undefined, anchorUrl: undefined, retentionMonths: 13, alerts: defaultThresholds },
      nodeSeals: { keeper, contradictions: new NodeContradictionLog(logger) },
      logger,
      metrics: new Metrics(),
    });
    await createTokens();
    const [first = 0] = await notesOnOne();
    await untilTrue(async () => (await newestOnOne()) > first, { waitingFor: 'the node to be sealed' });
    await loop.stop();
    expect((await notesOnOne()).at(-1)).toBe(await newestOnOne());
  });
});

describe('a job that looks at the logs of nodes', () => {
  it('tells of a newest checkpoint that nobody has signed', async () => {
    await owner().query(
      `insert into audit_checkpoints (tenant_id, number, tree_size, month, order_to, root, frontier, sealed_at, key_version, signature)
        select tenant_id, number + 1, tree_size + 1, month, order_to + 1, root, frontier, sealed_at, key_version, signature
        from audit_checkpoints where tenant_id = $1 order by number desc limit 1`,
      [tenant.id],
    );
    await runJob();
    expect(found).toMatchObject([{ node: 'node-1', reason: expect.stringContaining('was not signed') }]);
  });

  it('tells of a log that ends before what home has noted, and of nothing in one that is whole', async () => {
    const before = await newestOnOne();
    await grow();
    await noteAll();
    await runJob();
    expect(found).toEqual([]);
    await cutAfter(before);
    await runJob();
    expect(found).toMatchObject([{ node: 'node-1', reason: expect.stringContaining('ends before checkpoint') }]);
  });
});

it('a contradiction is logged once, and counted for the alert', () => {
  const lines: unknown[] = [];
  const logger = { info: () => undefined, warn: () => undefined, error: (...line: unknown[]) => void lines.push(line) };
  const log = new NodeContradictionLog(logger);
  const one = { tenantId: 'a', node: 'node-1', reason: 'It is gone.' };
  log.tell([one]);
  log.tell([one, { ...one, node: 'node-2' }]);
  log.tell([{ ...one, reason: 'It is another.' }]);
  expect(log.count).toBe(2);
  expect(lines).toEqual(
    ['It is gone.', 'It is gone.', 'It is another.'].map((error) => [
      'the log of a node contradicts what was signed',
      { error },
    ]),
  );
});

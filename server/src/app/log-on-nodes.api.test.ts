import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilTrue } from '../../test/harness/deadline.ts';
import { sealVault, signerOf } from '../../test/harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../../test/harness/test-vault.ts';
import { withLog } from './open-log.ts';
import { openSealerDatabases } from './sealer-databases.ts';
import { startSealing } from './start-sealing.ts';
import { toCheckpointText } from '../core/audit/checkpoint-text.ts';
import { Metrics } from '../platform/telemetry/metrics.ts';
import { defaultThresholds } from '../platform/audit/alert-rule.ts';
import { fileAnchor } from '../platform/audit/anchor.ts';
import { isGenuine, parseCheckpointJson, toCheckpointJson } from '../platform/audit/checkpoint.ts';
import { isProven, proveInclusionAnywhere } from '../platform/audit/inclusion-proof.ts';
import { writeExport } from '../platform/audit/log-export.ts';
import type { LogReader } from '../platform/audit/log-reader.ts';
import { listTrees, readersOf } from '../platform/audit/log-trees.ts';
import { verifyDatabase, verifyExport } from '../platform/audit/log-verification.ts';
import { NodeWatcher } from '../platform/audit/node-watcher.ts';
import { Watcher } from '../platform/audit/watcher.ts';

let vault: TestVault;
let tenant: TestTenant;
let folder: string;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
  tenant = await vault.makeTenant();
  folder = await mkdtemp(path.join(tmpdir(), 'strongroom-trees-'));
  await createTokens(20);
  await sealVault(vault);
});
afterAll(async () => {
  await vault.stop();
  await rm(folder, { recursive: true });
});

const quiet = { onProgress: () => undefined };
const verify = (anchorFile?: string) =>
  withLog(vault.config, (log) => verifyDatabase(log, tenant.id, { ...quiet, anchorFile }));

async function createTokens(count: number): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, () =>
      vault.request('POST', '/tokens', { key: tenant.keys.private, body: { type: 'token', data: 'x' } }),
    ),
  );
  return answers.map(({ body }) => (body as { id: string }).id);
}

const newestOf = (reader: LogReader) => reader.newestCheckpoint(tenant.id);

it('has a tree of its own in each database, whose checkpoints name it', async () => {
  await withLog(vault.config, async (log) => {
    const newest = await Promise.all(readersOf(log).map(newestOf));
    expect(newest.map((checkpoint) => checkpoint?.node)).toEqual([undefined, 'node-1', 'node-2']);
    const [home, one] = newest;
    if (home === undefined || one === undefined) throw new Error('There is no checkpoint.');
    expect(toCheckpointJson(home)).not.toHaveProperty('node');
    const json = toCheckpointJson(one);
    expect(toCheckpointText(json).split('\n')[0]).toBe(`strongroom/audit/${tenant.id}/node-1`);
    expect(isGenuine(one, log.publicKey)).toBe(true);
    // What was signed for one tree holds for no other.
    const { node: _, ...asHome } = json;
    for (const forged of [asHome, { ...json, node: 'node-2' }]) {
      const parsed = parseCheckpointJson(forged);
      expect(parsed !== undefined && isGenuine(parsed, log.publicKey)).toBe(false);
    }
    expect(parseCheckpointJson({ ...json, node: 'a\nb' })).toBeUndefined();
  });
});

it('is verified in every database, and a finding names the one that it is in', async () => {
  const sound = await verify();
  expect(sound.findings).toEqual([]);
  expect(sound.tenants.map(({ node }) => node)).toEqual([undefined, 'node-1', 'node-2']);
  const records = await vault.auditRecords(tenant.id);
  expect(sound.tenants.reduce((sum, { verified }) => sum + verified, 0)).toBe(records.length);

  const { owner } = vault.nodes[1]?.database ?? vault.database;
  const set = (outcome: string) =>
    owner.query(
      `update audit_records set outcome = $2 where tenant_id = $1 and id = (
        select id from audit_records where tenant_id = $1 order by sealing_order, id limit 1)`,
      [tenant.id, outcome],
    );
  await set('denied');
  expect((await verify()).findings).toMatchObject([{ kind: 'records-changed', tenantId: tenant.id, node: 'node-2' }]);
  await set('success');
  expect((await verify()).findings).toEqual([]);
});

it('refuses the checkpoints of another tree of the same tenant', async () => {
  const [one, two] = vault.nodes;
  if (one === undefined || two === undefined) throw new Error('There are no nodes.');
  // The whole log of one node in the place of the other, as anyone could put it who owns both databases.
  const move = async (from: typeof one, to: typeof one) => {
    for (const table of ['audit_records', 'audit_checkpoints']) {
      const { rows } = await from.database.owner.query<{ row: string }>(
        `select row_to_json(t)::text as row from ${table} t where tenant_id = $1`,
        [tenant.id],
      );
      await to.database.owner.query(`delete from ${table} where tenant_id = $1`, [tenant.id]);
      for (const { row } of rows)
        await to.database.owner.query(
          `insert into ${table} select * from json_populate_record(null::${table}, $1::json)`,
          [row],
        );
    }
  };
  for (const table of ['audit_records', 'audit_checkpoints'])
    await two.database.owner.query(`create table kept_${table} as select * from ${table}`);
  await move(one, two);
  const { findings } = await verify();
  expect(findings.every(({ node }) => node === 'node-2')).toBe(true);
  expect(findings.map(({ kind }) => kind)).toContain('checkpoint-changed');
  for (const table of ['audit_records', 'audit_checkpoints']) {
    await two.database.owner.query(`delete from ${table}`);
    await two.database.owner.query(`insert into ${table} select * from kept_${table}`);
    await two.database.owner.query(`drop table kept_${table}`);
  }
  expect((await verify()).findings).toEqual([]);
});

it('is exported from every database, continued, and verified without any', async () => {
  const file = path.join(folder, 'log.ndjson');
  const exported = () =>
    withLog(vault.config, async (log) =>
      writeExport({
        path: file,
        publicKey: log.publicKey,
        version: 2,
        trees: await listTrees(log, tenant.id),
        ...quiet,
      }),
    );
  const first = await exported();
  expect(first.records).toBe((await vault.auditRecords(tenant.id)).length);
  await createTokens(10);
  await sealVault(vault);
  expect((await exported()).records).toBe(10);
  const verdict = await verifyExport(file, signerOf(vault.server).publicKey, quiet);
  expect(verdict.findings).toEqual([]);
  expect(verdict.tenants.map(({ node }) => node)).toEqual([undefined, 'node-1', 'node-2']);
  // A record that is taken out is missed in its own tree.
  const lines = (await readFile(file, 'utf8')).split('\n');
  const ofNode = lines.findIndex((line) => line.includes('"kind":"checkpoint"') && line.includes('"node":"node-1"'));
  lines.splice(ofNode - 1, 1);
  await writeFile(file, lines.join('\n'));
  const cut = await verifyExport(file, signerOf(vault.server).publicKey, quiet);
  expect(cut.findings).toMatchObject([{ kind: 'records-missing', node: 'node-1' }]);
});

it('is compared with an anchor tree by tree', async () => {
  const file = path.join(folder, 'anchor.ndjson');
  const anchored = await withLog(vault.config, (log) => Promise.all(readersOf(log).map(newestOf)));
  await fileAnchor(file).append(anchored.flatMap((checkpoint) => checkpoint ?? []));
  expect(await verify(file)).toMatchObject({ findings: [], foreignAnchorLines: 0 });
  // A whole tree that has vanished shows only there.
  const { owner } = vault.nodes[0]?.database ?? vault.database;
  for (const table of ['audit_records', 'audit_checkpoints']) {
    await owner.query(`create table kept_${table} as select * from ${table}`);
    await owner.query(`delete from ${table} where tenant_id = $1`, [tenant.id]);
  }
  expect((await verify(file)).findings).toMatchObject([{ kind: 'records-missing', node: 'node-1' }]);
  for (const table of ['audit_records', 'audit_checkpoints']) {
    await owner.query(`insert into ${table} select * from kept_${table} where tenant_id = $1`, [tenant.id]);
    await owner.query(`drop table kept_${table}`);
  }
  const line = JSON.stringify({ tenant_id: tenant.id });
  await appendFile(file, `${line}\n`);
  expect(await verify(file)).toMatchObject({ findings: [], foreignAnchorLines: 1 });
});

it('proves a record in the tree of its database', async () => {
  const [id = ''] = await createTokens(1);
  await sealVault(vault);
  const record = (await vault.auditRecords(tenant.id)).find(({ entity_id: entity }) => entity === id);
  await withLog(vault.config, async (log) => {
    const proof = await proveInclusionAnywhere(readersOf(log), tenant.id, String(record?.['id']));
    expect(proof.checkpoint.node).toMatch(/^node-/);
    expect(isProven(proof, log.publicKey)).toBe(true);
    const none = proveInclusionAnywhere(readersOf(log), tenant.id, randomUUID());
    await expect(none).rejects.toThrow('no such record');
  });
});

it('is sealed and anchored by one worker in all databases', async () => {
  const file = path.join(folder, 'worker.ndjson');
  const metrics = new Metrics();
  const databases = openSealerDatabases(vault.config.database);
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const loop = await startSealing({
    core: vault.server.core,
    databases,
    config: { anchorFile: file, anchorUrl: undefined, retentionMonths: 13, alerts: defaultThresholds },
    logger,
    metrics,
  });
  await createTokens(10);
  await untilTrue(async () => (await verify()).waiting.length === 0, { waitingFor: 'all logs to be sealed' });
  await loop.stop();
  await Promise.all(databases.map(({ database }) => database.close()));
  expect(await verify(file)).toMatchObject({ findings: [], foreignAnchorLines: 0 });
  const text = await readFile(file, 'utf8');
  expect(new Set(text.match(/"node":"[^"]+"/g))).toEqual(new Set(['"node":"node-1"', '"node":"node-2"']));
});

it('raises one alert for what a key reveals on all nodes together', async () => {
  const own = await vault.makeTenant();
  const thresholds = { windowMinutes: 10, misses: 0, reveals: 8, addresses: 0 };
  const home = vault.database.open();
  const watchers = [
    new Watcher({ sealerDatabase: home, database: home, thresholds }),
    ...vault.nodes.map(
      ({ name, database }) =>
        new NodeWatcher({ node: name, nodeDatabase: database.open(), homeDatabase: home, thresholds }),
    ),
  ];
  const watchAll = async () => {
    for (const watcher of watchers) await watcher.watch();
    return (await watchers[0]?.watch())?.alerts ?? [];
  };
  await watchAll();
  const keyId = randomUUID();
  const reveal = async (from: number, to: number) => {
    for (let count = from; count < to; count += 1)
      await vault.nodes[count % 2]?.database.owner.query(
        `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome, transform, actor_type,
            actor_id, key_id)
          values ($1, date_trunc('day', now(), 'UTC'), 'token', $2, 'read', 'success', 'reveal', 'application', $3, $3)`,
        [own.id, `token-${count}`, keyId],
      );
    await sealVault(vault);
  };
  await reveal(0, 7);
  await watchAll();
  await reveal(7, 8);
  // Those of the first look, or of the second: the watcher at home records what it finds.
  await watchAll();
  const alerts = (await vault.auditRecords(own.id)).filter(({ operation }) => operation === 'alert');
  expect(alerts).toMatchObject([{ entity_id: keyId, entity_type: 'key' }]);
});

it('counts what a session reveals on a node for the key that authorized it at home', async () => {
  const own = await vault.makeTenant();
  const thresholds = { windowMinutes: 10, misses: 0, reveals: 2, addresses: 0 };
  const home = vault.database.open();
  const [node] = vault.nodes;
  if (node === undefined) throw new Error('There are no nodes.');
  const atHome = new Watcher({ sealerDatabase: home, database: home, thresholds });
  const onNode = new NodeWatcher({
    node: node.name,
    nodeDatabase: node.database.open(),
    homeDatabase: home,
    thresholds,
  });
  await atHome.watch();
  await onNode.watch();
  const [keyId, sessionId, sessionKey] = [randomUUID(), randomUUID(), randomUUID()];
  await vault.database.owner.query(
    `insert into audit_records (tenant_id, entity_type, entity_id, operation, outcome, actor_type, actor_id, key_id)
      values ($1, 'session', $2, 'authorize', 'success', 'application', $3, $3)`,
    [own.id, sessionId, keyId],
  );
  for (const token of ['one', 'two'])
    await node.database.owner.query(
      `insert into audit_records (tenant_id, entity_type, entity_id, operation, outcome, transform, actor_type, actor_id, key_id)
        values ($1, 'token', $2, 'read', 'success', 'reveal', 'session', $3, $4)`,
      [own.id, token, sessionId, sessionKey],
    );
  await sealVault(vault);
  await onNode.watch();
  await atHome.watch();
  const alerts = (await vault.auditRecords(own.id)).filter(({ operation }) => operation === 'alert');
  expect(alerts).toMatchObject([{ entity_id: keyId }]);
});

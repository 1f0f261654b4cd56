import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sealAll, sealVault, signerOf } from '../../test/harness/sealed-log.ts';
import type { TestDatabase } from '../../test/harness/test-database.ts';
import { type TestTenant, TestVault } from '../../test/harness/test-vault.ts';
import { type ExportVersion, versionOfExport, writeExport } from '../platform/audit/log-export.ts';
import { walkTrees } from '../platform/audit/log-trees.ts';
import { type LogVerdict, verifyDatabase, verifyExport } from '../platform/audit/log-verification.ts';
import { nodeSealJobs } from '../platform/audit/node-seal-job.ts';
import { withLog } from './open-log.ts';

const quiet = { onProgress: () => undefined };
let vault: TestVault;
let tenant: TestTenant;
let folder: string;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
  folder = await mkdtemp(path.join(tmpdir(), 'strongroom-node-seals-'));
});
afterAll(async () => {
  await vault.stop();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
  await growAndNote();
});

const databaseOf = (name: string): TestDatabase => {
  const node = vault.nodes.find((one) => one.name === name);
  if (node === undefined) throw new Error('There is no such node.');
  return node.database;
};

async function grow(): Promise<void> {
  await Promise.all(
    Array.from({ length: 16 }, () =>
      vault.request('POST', '/tokens', { key: tenant.keys.private, body: { type: 'token', data: 'x' } }),
    ),
  );
  await sealVault(vault);
}

/** As the worker does it every few minutes. */
async function note(): Promise<void> {
  const databases = [
    { database: vault.database.open() },
    ...vault.nodes.map(({ name, database }) => ({ node: name, database: database.open() })),
  ] as const;
  const { publicKey } = signerOf(vault.server);
  for (const job of nodeSealJobs({ databases, publicKey })) await job.run(undefined);
  await sealAll(vault.database, signerOf(vault.server));
}

async function growAndNote(): Promise<void> {
  await grow();
  await note();
}

async function notes(): Promise<{ node: string; number: number; size: number; root: string }[]> {
  const { rows } = await vault.database.owner.query<{ entity_id: string; details: string }>(
    `select entity_id, details from audit_records where tenant_id = $1 and operation = 'seal' order by created_at, entity_id`,
    [tenant.id],
  );
  return rows.map(({ entity_id: node, details }) => ({ node, ...(JSON.parse(details) as NoteDetails) }));
}
interface NoteDetails {
  readonly number: number;
  readonly size: number;
  readonly root: string;
}

const verify = () => withLog(vault.config, (log) => verifyDatabase(log, tenant.id, quiet));
const verifyAll = () => withLog(vault.config, (log) => verifyDatabase(log, undefined, quiet));
/** Without what other tests have left in the logs of their tenants. */
const kindsOf = ({ findings }: LogVerdict) =>
  findings.filter(({ tenantId }) => tenantId === tenant.id).map(({ kind, node }) => `${kind} ${node ?? 'home'}`);

/** Takes away what was sealed after a checkpoint, as somebody does who owns the database: nothing in it tells. */
async function cutAfter(number: number, { owner }: TestDatabase): Promise<void> {
  await owner.query(
    `delete from audit_records where tenant_id = $1 and sealing_order >= coalesce(
      (select order_to from audit_checkpoints where tenant_id = $1 and number = $2), -9223372036854775808)`,
    [tenant.id, number],
  );
  await owner.query('delete from audit_checkpoints where tenant_id = $1 and number > $2', [tenant.id, number]);
}

describe('what home notes of the logs of nodes', () => {
  it('is a record for each log that has grown, and for no other', async () => {
    const [first, second, ...more] = await notes();
    expect([first?.node, second?.node, more]).toEqual(['node-1', 'node-2', []]);
    for (const { node, number, size, root } of await notes()) {
      const { rows } = await databaseOf(node).owner.query<{ root: Buffer }>(
        'select root from audit_checkpoints where tenant_id = $1 and number = $2 and tree_size = $3',
        [tenant.id, number, size],
      );
      expect(rows.map((row) => row.root.toString('base64'))).toEqual([root]);
    }
    await note();
    expect(await notes()).toHaveLength(2);
    await growAndNote();
    expect(await notes()).toHaveLength(4);
    expect(kindsOf(await verify())).toEqual([]);
  });

  it('is shown in the log of the tenant', async () => {
    const { body } = await vault.request('GET', '/logs?operation=seal', { key: tenant.keys.management });
    expect((body as { data: unknown[] }).data).toEqual(
      expect.arrayContaining([expect.objectContaining({ entity_id: 'node-1', message: 'Log of a node noted' })]),
    );
  });

  it('is noted again in each month, before the record of an earlier one is dropped', async () => {
    tenant = await vault.makeTenant();
    await grow();
    await vault.database.owner.query(`create table audit_records_2020_01 partition of audit_records
      for values from ('2020-01-01 00:00:00+00') to ('2020-02-01 00:00:00+00')`);
    await vault.database.owner.query(
      `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome, actor_type, details)
        values ($1, '2020-01-15', 'log', 'node-1', 'seal', 'success', 'system', $2)`,
      [tenant.id, JSON.stringify(await newestOn('node-1'))],
    );
    await note();
    await note();
    const own = (await notes()).filter(({ node }) => node === 'node-1');
    expect(own).toEqual([own[0], own[0]]);
  });

  it('goes on for a tenant that was deleted', async () => {
    expect((await vault.request('DELETE', '/tenants/self', { key: tenant.keys.management })).status).toBe(204);
    await databaseOf('node-1').owner.query(
      `insert into audit_records (tenant_id, entity_type, entity_id, operation, outcome) values ($1, 'token', 'x', 'delete', 'success')`,
      [tenant.id],
    );
    await sealVault(vault);
    await note();
    expect(await notes()).toHaveLength(3);
  });

  it('is nothing that the vault has not signed', async () => {
    await databaseOf('node-1').owner.query(
      `insert into audit_checkpoints (tenant_id, number, tree_size, month, order_to, root, frontier, sealed_at, key_version, signature)
        select tenant_id, number + 1, tree_size + 1, month, order_to + 1, root, frontier, sealed_at, key_version, signature
        from audit_checkpoints where tenant_id = $1 order by number desc limit 1`,
      [tenant.id],
    );
    await note();
    expect(await notes()).toHaveLength(2);
  });

  it('goes on for the nodes that can be reached', async () => {
    await grow();
    const databases = [
      { database: vault.database.open() },
      { node: 'node-1', database: vault.database.open({ url: 'postgresql://127.0.0.1:1/nowhere' }) },
      { node: 'node-2', database: databaseOf('node-2').open() },
    ] as const;
    const { publicKey } = signerOf(vault.server);
    const [job] = nodeSealJobs({ databases, publicKey });
    await expect(job?.run(undefined)).rejects.toThrow();
    expect((await notes()).map(({ node }) => node)).toEqual(['node-1', 'node-2', 'node-2']);
  });

  it('is nothing where there is one database', () => {
    const { publicKey } = signerOf(vault.server);
    expect(nodeSealJobs({ databases: [{ database: vault.database.open() }], publicKey })).toEqual([]);
  });
});

describe('verification of the logs of nodes', () => {
  it('finds one that was cut back to an earlier checkpoint, and goes on finding it when it has grown again', async () => {
    const before = (await notes()).find(({ node }) => node === 'node-1')?.number ?? 0;
    await growAndNote();
    expect(kindsOf(await verify())).toEqual([]);
    await cutAfter(before, databaseOf('node-1'));
    const cut = await verify();
    expect(kindsOf(cut)).toEqual(['records-missing node-1']);
    expect(cut.findings[0]?.message).toContain('noted in the home database');
    expect(kindsOf(await verifyAll())).toEqual(['records-missing node-1']);
    await growAndNote();
    await growAndNote();
    expect(kindsOf(await verify())).toContain('node-differs node-1');
  });

  it('finds one that is empty, whether the tenant is asked for or all are', async () => {
    await cutAfter(0, databaseOf('node-2'));
    const own = await verify();
    expect(kindsOf(own)).toEqual(['log-missing node-2']);
    expect(own.tenants.map(({ node }) => node)).toEqual([undefined, 'node-1']);
    expect(kindsOf(await verifyAll())).toEqual(['log-missing node-2']);
  });

  it('finds one whose database is an older copy', async () => {
    const { owner } = databaseOf('node-1');
    const tables = ['audit_records', 'audit_checkpoints'];
    for (const table of tables) await owner.query(`create table copied_${table} as table ${table}`);
    await growAndNote();
    for (const table of tables) {
      await owner.query(`delete from ${table}`);
      await owner.query(`insert into ${table} table copied_${table}`);
      await owner.query(`drop table copied_${table}`);
    }
    expect(kindsOf(await verify())).toEqual(['records-missing node-1']);
  });

  it('does not believe what a node has noted itself', async () => {
    await databaseOf('node-1').owner.query(
      `insert into audit_records (tenant_id, entity_type, entity_id, operation, outcome, actor_type, details)
        values ($1, 'log', 'node-2', 'seal', 'success', 'system', $2)`,
      [tenant.id, JSON.stringify({ number: 99, size: 999, root: '' })],
    );
    await sealVault(vault);
    expect(kindsOf(await verify())).toEqual([]);
  });
});

describe('an export of the logs of nodes', () => {
  const write = (file: string, version?: ExportVersion) =>
    withLog(vault.config, async (log) =>
      writeExport({
        path: file,
        publicKey: log.publicKey,
        version: version ?? versionOfExport(log),
        trees: walkTrees(log, tenant.id),
        ...quiet,
      }),
    );
  const newFile = () => path.join(folder, `${randomUUID()}.ndjson`);
  const verifyFile = (file: string) => verifyExport(file, signerOf(vault.server).publicKey, quiet);
  const readLines = async (file: string) => (await readFile(file, 'utf8')).trimEnd().split('\n');

  it('states format 2, and is verified after it was continued', async () => {
    const file = newFile();
    await write(file);
    expect(JSON.parse((await readLines(file))[0] ?? '')).toMatchObject({ kind: 'export', version: 2 });
    await growAndNote();
    await write(file);
    await write(file);
    expect((await readLines(file)).filter((line) => line.includes('"kind":"export"'))).toHaveLength(1);
    expect((await verifyFile(file)).findings).toEqual([]);
  });

  it('states it from where on a file of format 1 is continued', async () => {
    const file = newFile();
    await write(file, 1);
    await growAndNote();
    await write(file);
    await write(file);
    const versions = (await readLines(file))
      .map((line) => JSON.parse(line) as { kind: string; version: number })
      .flatMap(({ kind, version }) => (kind === 'export' ? [version] : []));
    expect(versions).toEqual([1, 2]);
    expect((await verifyFile(file)).findings).toEqual([]);
    expect((await verifyExport(file, undefined, quiet)).findings).toEqual([]);
  });

  it('is refused in a format that is not known yet, and says what to do', async () => {
    const file = newFile();
    await write(file);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('"version":2', '"version":3'));
    const words = /format 3\. This version of Strongroom reads formats 1 to 2: use the version that wrote the file/;
    await expect(verifyFile(file)).rejects.toThrow(words);
    await expect(verifyExport(file, undefined, quiet)).rejects.toThrow(words);
    await expect(write(file)).rejects.toThrow(words);
  });

  it.each(['of all tenants', 'of one'])(
    '%s has the log of a tenant that came to a node while home was written',
    async (which) => {
      tenant = await vault.makeTenant();
      await sealVault(vault);
      const file = newFile();
      await withLog(vault.config, async (log) => {
        const trees = async function* () {
          let hasGrown = false;
          for await (const tree of walkTrees(log, which === 'of one' ? tenant.id : undefined)) {
            if (!hasGrown) await growAndNote();
            hasGrown = true;
            yield tree;
          }
        };
        await writeExport({ path: file, publicKey: log.publicKey, version: 2, trees: trees(), ...quiet });
      });
      expect(kindsOf(await verifyFile(file))).toEqual([]);
      const names = (await readLines(file)).filter((line) => line.includes(tenant.id)).join('\n');
      expect(names.includes('"node":"node-1"') && names.includes('"operation":"seal"')).toBe(true);
    },
  );

  it('that leaves a log out, or the end of one, is found without the vault', async () => {
    await growAndNote();
    const file = newFile();
    await write(file);
    const lines = await readLines(file);
    const ownerOf = (line: string) => (JSON.parse(line) as { node?: string }).node;
    const isEnd = (line: string) => line.includes('"kind":"checkpoint"');
    const starts = lines.findIndex((line) => isEnd(line) && ownerOf(line) === undefined);
    const home = lines.findLastIndex((line) => isEnd(line) && ownerOf(line) === undefined);
    const one = lines.findLastIndex((line) => ownerOf(line) === 'node-1');
    expect([starts > 0, home > starts, one > home]).toEqual([true, true, true]);
    await writeFile(file, `${lines.slice(0, one + 1).join('\n')}\n`);
    expect(kindsOf(await verifyFile(file))).toEqual(['log-missing node-2']);
    const firstOfOne = lines.findIndex((line) => ownerOf(line) === 'node-1');
    await writeFile(file, `${[...lines.slice(0, firstOfOne + 1), ...lines.slice(one + 1)].join('\n')}\n`);
    expect(kindsOf(await verifyFile(file))).toEqual(['records-missing node-1']);
  });
});

it('states format 1 where there is one database', () => {
  expect([versionOfExport({}), versionOfExport({ others: [] })]).toEqual([1, 1]);
});

async function newestOn(node: string): Promise<NoteDetails> {
  const { rows } = await databaseOf(node).owner.query<NoteDetails>(
    `select number::integer, tree_size::integer as size, encode(root, 'base64') as root
      from audit_checkpoints where tenant_id = $1 order by number desc limit 1`,
    [tenant.id],
  );
  const [newest] = rows;
  if (newest === undefined) throw new Error('There is no checkpoint.');
  return newest;
}

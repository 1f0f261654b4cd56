import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillLog, hardText, sealAll, sealOnce, signerOf } from '../../../test/harness/sealed-log.ts';
import { removeAtOnce } from '../../../test/harness/tenant-people.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { fileAnchor } from './seal/anchor.ts';
import { verifyDatabase } from './verify/log-verification.ts';
import { isProven, parseProofJson, proveInclusion, toProofJson } from './verify/inclusion-proof.ts';
import { LogReader } from './verify/log-reader.ts';
import { ensureSealingOrderGrows } from './seal/sealing-order.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const owner = () => vault.database.owner;
const log = () => ({ reader: new LogReader(vault.database.open()), publicKey: signerOf(vault.server).publicKey });
const seal = () => sealAll(vault.database, signerOf(vault.server));
const verify = () => verifyDatabase(log(), undefined, { onProgress: () => undefined });
const createToken = () =>
  vault.request('POST', '/tokens', { key: tenant.keys.private, body: { type: 'token', data: 'x' } });

describe('sealing', () => {
  it('takes every committed record once, and an untouched log verifies', async () => {
    await createToken();
    await seal();
    expect(await seal()).toBe(0);
    const { findings, tenants } = await verify();
    expect(findings).toEqual([]);
    const { rows } = await owner().query<{ n: string }>('select count(*) as n from audit_records');
    expect(tenants.reduce((sum, { verified }) => sum + verified, 0)).toBe(Number(rows[0]?.n));
  });

  it('waits for a transaction that is still under way, and then misses nothing of it', async () => {
    await seal();
    const slow = new pg.Client({ connectionString: vault.database.url });
    await slow.connect();
    await slow.query('begin');
    await slow.query(
      `insert into audit_records (tenant_id, entity_id, entity_type, operation, outcome) values ($1, 'slow', 'token', 'read', 'success')`,
      [tenant.id],
    );
    await createToken();
    expect(await sealOnce(vault.database, signerOf(vault.server))).toBe(0);
    await slow.query('commit');
    await slow.end();
    expect(await seal()).toBe(2);
    expect((await verify()).findings).toEqual([]);
  });

  it('is done by one sealer at a time', async () => {
    await createToken();
    const sums = await Promise.all(Array.from({ length: 8 }, seal));
    expect(sums.reduce((a, b) => a + b)).toBe(1);
    expect((await verify()).findings).toEqual([]);
  });

  it('hashes every text as PostgreSQL does', async () => {
    for (let round = 0; round < 40; round += 1) {
      await owner().query(
        `insert into audit_records (tenant_id, entity_id, entity_type, operation, outcome, request_id, source_address, containers, destination)
          values ($1, $2, 'token', 'read', 'success', $3, $4, $5, $6)`,
        [tenant.id, hardText(), hardText(), hardText(), [hardText(), '', hardText()], hardText()],
      );
    }
    expect(await seal()).toBe(40);
    expect((await verify()).findings).toEqual([]);
  });

  it('puts records of two months into two checkpoints', async () => {
    const id = randomUUID();
    await fillLog(vault.database, { tenantId: id, count: 1 });
    await owner().query(`select ensure_audit_partitions(3)`);
    await owner().query(
      `insert into audit_records (tenant_id, created_at, entity_id, entity_type, operation, outcome)
        select $1, now() + interval '1 month', 'later', 'token', 'read', 'success'`,
      [id],
    );
    await seal();
    const { rows } = await owner().query<{ month: string }>(
      'select month::text from audit_checkpoints where tenant_id = $1 order by number',
      [id],
    );
    expect(new Set(rows.map(({ month }) => month)).size).toBe(2);
    await owner().query('delete from audit_records where tenant_id = $1', [id]);
    await owner().query('delete from audit_checkpoints where tenant_id = $1', [id]);
  });

  it('seals the deletion of a tenant, whose keys are gone by then', async () => {
    const gone = await vault.makeTenant();
    expect((await removeAtOnce(vault, gone)).status).toBe(204);
    await seal();
    const { findings, tenants } = await verify();
    expect(findings).toEqual([]);
    expect(tenants.find(({ tenantId }) => tenantId === gone.id)?.verified).toBeGreaterThan(0);
  });

  it('goes on in order after a restore into a cluster whose transaction numbers are lower', async () => {
    await seal();
    // These records look as if they were written in a cluster with a million more transactions.
    await owner().query(
      `insert into audit_records (tenant_id, entity_id, entity_type, operation, outcome, sealing_order)
        select $1, 'restored', 'token', 'read', 'success', audit_order(pg_current_xact_id()) + 1000000`,
      [tenant.id],
    );
    await ensureSealingOrderGrows(vault.database.open());
    await createToken();
    await seal();
    const { rows } = await owner().query<{ sealed: boolean }>(
      `select max(sealing_order) < (select sealed_to from audit_sealing) as sealed from audit_records`,
    );
    expect(rows[0]?.sealed).toBe(true);
    expect((await verify()).findings).toEqual([]);
    await ensureSealingOrderGrows(vault.database.open());
    const { rows: epochs } = await owner().query<{ last_value: string }>('select last_value from audit_epochs');
    expect(epochs[0]?.last_value).toBe('1');
  });
});

describe('a sealer', () => {
  /** Changes something, tries to seal one more record, and reverts the change. */
  async function sealAfter(change: string, back: string): Promise<unknown> {
    await seal();
    await owner().query(change, [tenant.id]);
    await createToken();
    const outcome = await seal().catch((error: unknown) => error);
    await owner().query(back, [tenant.id]);
    return outcome;
  }
  it('seals no record twice when it is sent back', async () => {
    await owner().query('create table kept as select sealed_to from audit_sealing');
    const outcome = await sealAfter(
      'update audit_sealing set sealed_to = 0 where $1::uuid is not null',
      'update audit_sealing set sealed_to = (select sealed_to from kept) where $1::uuid is not null',
    );
    expect(String(outcome)).toContain('audit_sealing is behind');
    await owner().query('drop table kept');
    await seal();
    expect((await verify()).findings).toEqual([]);
  });

  it('says so when it is sent ahead of every transaction, where nothing would ever seem to wait', async () => {
    const move = (by: number) => `update audit_sealing set sealed_to = sealed_to + ${by} where $1::uuid is not null`;
    const outcome = await sealAfter(move(1_000_000), move(-1_000_000));
    expect(String(outcome)).toContain('audit_sealing is ahead of every transaction');
    await seal();
    expect((await verify()).findings).toEqual([]);
  });
});

describe('the role that serves requests', () => {
  it('cannot choose where in the log a record stands', async () => {
    const insert = vault.database.open().forTenant(tenant.id as never, (tx) =>
      tx.query({
        text: `insert into audit_records (tenant_id, entity_id, entity_type, operation, outcome, sealing_order)
          values ($1, 'x', 'token', 'read', 'success', 9223372036854775807)`,
        values: [tenant.id],
      }),
    );
    await expect(insert).rejects.toMatchObject({ sqlState: '42501' });
  });

  it.each([
    ['change a record', `update audit_records set outcome = 'success'`],
    ['delete a record', 'delete from audit_records'],
    ['empty the log', 'truncate audit_records'],
    ['add a checkpoint', `insert into audit_checkpoints select * from audit_checkpoints`],
    ['change a checkpoint', 'update audit_checkpoints set tree_size = 0'],
    ['move the sealer', 'update audit_sealing set sealed_to = 0'],
    ['change a count', 'update audit_counts set records = 0'],
    ['change a facet', 'update audit_facets set records = 0'],
    ['move the facets', 'update audit_facet_position set kept_to = 0'],
    [
      'stop its sealing',
      `insert into audit_seal_stops (tenant_id, order_from, reason) select gen_random_uuid(), 0, ''`,
    ],
    ['drop a month', `select drop_audit_partition('2020-01-01')`],
  ])('cannot %s', async (_, text) => {
    const database = vault.database.open();
    const attempt = database.forTenant(tenant.id as never, (tx) => tx.query({ text }));
    await expect(attempt).rejects.toMatchObject({ sqlState: '42501' });
  });

  it.each([
    ['change a record', `update audit_records set outcome = 'success'`],
    ['delete a record', 'delete from audit_records'],
    [
      'add a record',
      `insert into audit_records (tenant_id, entity_id, entity_type, operation, outcome) values (gen_random_uuid(), '', '', '', '')`,
    ],
    ['change a checkpoint', 'update audit_checkpoints set tree_size = 0'],
    ['delete a checkpoint', 'delete from audit_checkpoints'],
  ])('and that of the sealer cannot %s', async (_, text) => {
    await expect(vault.database.open().forSealer((tx) => tx.query({ text }))).rejects.toMatchObject({
      sqlState: '42501',
    });
  });

  it('not even the sealer drops one of the last three months', async () => {
    for (const month of [`date_trunc('month', now())::date`, `'2026-11-01 BC'`, 'null']) {
      const attempt = vault.database
        .open()
        .forSealer((tx) => tx.query({ text: `select drop_audit_partition(${month})` }));
      await expect(attempt).rejects.toMatchObject({ sqlState: 'P0001' });
    }
  });
});

describe('verification', () => {
  const own = randomUUID();
  beforeAll(async () => {
    await fillLog(vault.database, { tenantId: own, count: 5_000 });
    await seal();
    await createToken();
    await seal();
    expect((await verify()).findings).toEqual([]);
  });

  /** Changes the log the way somebody with all privileges could, verifies it, and restores everything. */
  async function findingsAfter(change: string, values: unknown[] = [own]) {
    const tables = ['audit_records', 'audit_checkpoints', 'audit_sealing'];
    const client = await owner().connect();
    try {
      for (const table of tables) await client.query(`create table kept_${table} as select * from ${table}`);
      const { rowCount } = await client.query(change, values);
      expect(rowCount).toBeGreaterThan(0);
      return (await verify()).findings;
    } finally {
      for (const table of tables) {
        await client.query(`truncate ${table}`);
        await client.query(`insert into ${table} select * from kept_${table}`);
        await client.query(`drop table kept_${table}`);
      }
      client.release();
    }
  }

  const oneRecord = `ctid = (select ctid from audit_records where tenant_id = $1 and request_id = 'request 2345') and tableoid = (select tableoid from audit_records where tenant_id = $1 and request_id = 'request 2345')`;
  /** The third thousand records, plus or minus a transaction of twenty. */
  const place = { from: expect.closeTo(2_000, -2) as number, to: expect.closeTo(3_000, -2) as number };

  it.each([
    ['entity_id', `'other'`],
    ['entity_type', `'member'`],
    ['operation', `'update'`],
    ['outcome', `'denied'`],
    ['id', 'gen_random_uuid()'],
    ['created_at', `created_at + interval '1 millisecond'`],
    ['actor_id', 'gen_random_uuid()'],
    ['actor_id', 'null'],
    ['actor_type', `'system'`],
    ['key_id', 'gen_random_uuid()'],
    ['request_id', `'another'`],
    ['source_address', `'10.0.0.1'`],
    ['containers', `array['/elsewhere/']`],
    ['containers', `'{}'`],
    ['destination', `'example.com'`],
    ['transform', `'reveal'`],
    ['details', `'{"found":1}'`],
  ])('finds %s set to %s, and where', async (column, value) => {
    const findings = await findingsAfter(`update audit_records set ${column} = ${value} where ${oneRecord}`);
    expect(findings).toMatchObject([{ kind: 'records-changed', tenantId: own, range: place }]);
  });

  it('finds a record that was moved to another tenant', async () => {
    const findings = await findingsAfter(`update audit_records set tenant_id = '${tenant.id}' where ${oneRecord}`);
    expect(findings.map(({ kind }) => kind)).toContain('records-missing');
  });

  it('finds a changed order', async () => {
    const findings = await findingsAfter(
      `update audit_records set sealing_order = sealing_order + 1 where ${oneRecord}`,
    );
    expect(findings).toMatchObject([{ range: place }]);
  });

  it('finds a deleted record', async () => {
    const findings = await findingsAfter(`delete from audit_records where ${oneRecord}`);
    expect(findings).toMatchObject([{ kind: 'records-missing', range: place }]);
  });

  it('finds an added record', async () => {
    const findings = await findingsAfter(
      `insert into audit_records (tenant_id, created_at, sealing_order, entity_id, entity_type, operation, outcome)
        select tenant_id, created_at, sealing_order, 'forged', 'token', 'read', 'success' from audit_records where ${oneRecord}`,
    );
    expect(findings).toMatchObject([{ kind: 'records-added', range: place }]);
  });

  it('names the record, where the tree tells which it is', async () => {
    const alone = randomUUID();
    // The first two checkpoints have one record each. The last leaf of a tree of odd size is a subtree of its own.
    for (const count of [1, 1, 7]) {
      await fillLog(vault.database, { tenantId: alone, count });
      await seal();
    }
    const { rows } = await owner().query<{ id: string }>(
      'select id from audit_records where tenant_id = $1 order by sealing_order, id',
      [alone],
    );
    for (const place of [0, 1, 8]) {
      const id = rows[place]?.id ?? '';
      const change = `update audit_records set outcome = 'denied' where tenant_id = $1 and id = '${id}'`;
      expect(await findingsAfter(change, [alone])).toMatchObject([
        { kind: 'records-changed', within: { from: place, to: place + 1 }, records: [id] },
      ]);
    }
    // This id sorts after all others in its transaction.
    const added = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
    const add = `insert into audit_records (tenant_id, id, created_at, sealing_order, entity_id, entity_type, operation, outcome)
      select tenant_id, '${added}', created_at, sealing_order, 'forged', 'token', 'read', 'success' from audit_records
      where tenant_id = $1 and id = '${rows[4]?.id}'`;
    expect(await findingsAfter(add, [alone])).toMatchObject([{ kind: 'records-added', records: [added] }]);
    const removal = `delete from audit_records where tenant_id = $1 and id = '${rows[8]?.id}'`;
    const [finding] = await findingsAfter(removal, [alone]);
    expect(finding).toMatchObject({ kind: 'records-missing', within: { from: 8, to: 9 } });
    await owner().query('delete from audit_records where tenant_id = $1', [alone]);
    await owner().query('delete from audit_checkpoints where tenant_id = $1', [alone]);
  });

  it('finds a record that was added behind the newest checkpoint, and names it', async () => {
    const id = randomUUID();
    const findings = await findingsAfter(
      `insert into audit_records (tenant_id, id, sealing_order, entity_id, entity_type, operation, outcome)
        select $1, '${id}', (select max(order_to) from audit_checkpoints where tenant_id = $1), 'forged', 'token', 'read', 'success'`,
    );
    expect(findings).toMatchObject([{ kind: 'record-outside', records: [id] }]);
  });

  it('finds two records that were swapped', async () => {
    const findings = await findingsAfter(
      `update audit_records a set entity_id = b.entity_id, request_id = b.request_id
        from audit_records b where a.tenant_id = $1 and b.tenant_id = $1
          and ((a.request_id = 'request 1500' and b.request_id = 'request 3501')
            or (a.request_id = 'request 3501' and b.request_id = 'request 1500'))`,
    );
    expect(findings.map(({ kind }) => kind)).toEqual(['records-changed', 'records-changed']);
  });

  it('finds a tail that was cut off', async () => {
    const findings = await findingsAfter(
      `delete from audit_records where tenant_id = $1 and substr(request_id, 9)::int > 4400`,
    );
    expect(findings).toMatchObject([{ kind: 'records-missing', range: { to: 5_000 } }]);
  });

  it.each([
    ['a root', `root = sha256('x')`],
    ['a size', 'tree_size = tree_size + 1'],
    ['a time', `sealed_at = sealed_at - interval '1 day'`],
    ['a signature', `signature = decode(repeat('00', 64), 'hex')`],
    ['a frontier', `frontier = decode(repeat('00', length(frontier)), 'hex')`],
    ['an order', 'order_to = order_to - 1'],
    ['a month', `month = month - interval '1 month'`],
  ])('finds %s of a checkpoint that was changed', async (_, change) => {
    const findings = await findingsAfter(`update audit_checkpoints set ${change} where tenant_id = $1 and number = 3`);
    expect(findings[0]).toMatchObject({ kind: 'checkpoint-changed', range: place });
  });

  it('finds a checkpoint that is missing', async () => {
    const findings = await findingsAfter('delete from audit_checkpoints where tenant_id = $1 and number = 3');
    expect(findings[0]).toMatchObject({ kind: 'checkpoint-missing' });
  });

  it('finds a tail that was cut off together with its checkpoints, with an anchor', async () => {
    const newest = await log().reader.newestCheckpoint(own);
    if (newest === undefined) throw new Error('There is no checkpoint.');
    const cut = `with gone as (delete from audit_checkpoints where tenant_id = $1 and number > 3),
        back as (update audit_sealing set sealed_to = (select order_to from audit_checkpoints where tenant_id = $1 and number = 3))
      delete from audit_records where tenant_id = $1
        and sealing_order >= (select order_to from audit_checkpoints where tenant_id = $1 and number = 3)`;
    const client = await owner().connect();
    try {
      await client.query('create table kept_r as select * from audit_records');
      await client.query('create table kept_c as select * from audit_checkpoints');
      await client.query('create table kept_s as select * from audit_sealing');
      await client.query(cut, [own]);
      const file = path.join(tmpdir(), `anchor-${randomUUID()}.ndjson`);
      await fileAnchor(file).append([newest]);
      const withAnchor = await verifyDatabase(log(), own, { anchorFile: file, onProgress: () => undefined });
      await rm(file);
      expect(withAnchor.findings).toMatchObject([{ kind: 'records-missing', range: { to: 5_000 } }]);
    } finally {
      for (const [kept, table] of [
        ['kept_r', 'audit_records'],
        ['kept_c', 'audit_checkpoints'],
        ['kept_s', 'audit_sealing'],
      ]) {
        await client.query(`truncate ${table}`);
        await client.query(`insert into ${table} select * from ${kept}`);
        await client.query(`drop table ${kept}`);
      }
      client.release();
    }
  });
});

describe('the proof of a record', () => {
  it('holds for records anywhere in the log, and for nothing else', async () => {
    const id = randomUUID();
    await fillLog(vault.database, { tenantId: id, count: 3_333 });
    await seal();
    const { reader, publicKey } = log();
    const { rows } = await owner().query<{ id: string }>(
      `select id from audit_records where tenant_id = $1 and request_id = any($2)`,
      [id, [1, 2, 999, 1000, 1001, 1024, 2047, 2048, 2500, 3331, 3332, 3333].map((n) => `request ${n}`)],
    );
    expect(rows).toHaveLength(12);
    for (const row of rows) {
      const proof = await proveInclusion(reader, id, row.id);
      expect(isProven(proof, publicKey)).toBe(true);
      const carried = parseProofJson(JSON.parse(JSON.stringify(toProofJson(proof))));
      expect(carried !== undefined && isProven(carried, publicKey)).toBe(true);
      expect(isProven({ ...proof, record: { ...proof.record, outcome: 'denied' } }, publicKey)).toBe(false);
      expect(isProven({ ...proof, index: proof.index + 1 }, publicKey)).toBe(false);
      expect(isProven(proof, Buffer.alloc(32, 1))).toBe(false);
    }
  });

  it('is refused for a record that is not sealed yet, and for none at all', async () => {
    const { reader } = log();
    await expect(proveInclusion(reader, tenant.id, randomUUID())).rejects.toThrow('no such record');
    await createToken();
    const newest = (await vault.auditRecords(tenant.id)).at(-1);
    await expect(proveInclusion(reader, tenant.id, String(newest?.['id']))).rejects.toThrow('not been sealed');
  });
});

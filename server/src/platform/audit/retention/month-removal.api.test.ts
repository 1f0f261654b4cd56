import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sealAll, signerOf } from '../../../../test/harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { dropOldMonths } from './audit-retention-job.ts';
import { writeExport } from '../verify/log-export.ts';
import { LogReader } from '../verify/log-reader.ts';
import { verifyDatabase, verifyExport } from '../verify/log-verification.ts';

const quiet = { onProgress: () => undefined };
const monthsKept = 6;
let vault: TestVault;
let tenant: TestTenant;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'strongroom-removal-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  await seal();
  return () => vault.stop();
});

const owner = () => vault.database.owner;
const seal = () => sealAll(vault.database, signerOf(vault.server));
const retention = () => ({ monthsKept, signer: signerOf(vault.server) });
const checkpointOf = async (month: string) => {
  const { rows } = await owner().query<{ number: string; root: Buffer }>(
    'select number, root from audit_checkpoints where tenant_id = $1 and month = $2 order by number desc limit 1',
    [tenant.id, `${month}-01`],
  );
  return { number: Number(rows[0]?.number), root: rows[0]?.root.toString('base64') };
};
const drop = () => dropOldMonths(vault.database.open(), retention());
const openLog = () => ({ reader: new LogReader(vault.database.open()), publicKey: signerOf(vault.server).publicKey });
const kindsOf = ({ findings }: { findings: readonly { kind: string }[] }) => findings.map(({ kind }) => kind);
const verify = async () => kindsOf(await verifyDatabase(openLog(), tenant.id, quiet));

/** Returns a past month, such as `2026-11`. */
function monthAgo(count: number): string {
  const month = new Date();
  month.setUTCDate(1);
  month.setUTCMonth(month.getUTCMonth() - count);
  return month.toISOString().slice(0, 7);
}
const partitionOf = (month: string) => `audit_records_${month.replace('-', '_')}`;

async function makePartition(month: string): Promise<void> {
  await owner().query(`create table ${partitionOf(month)} partition of audit_records
    for values from ('${month}-01 00:00:00+00') to ('${monthAfter(month)}-01 00:00:00+00')`);
}

function monthAfter(month: string): string {
  const next = new Date(`${month}-01T00:00:00Z`);
  next.setUTCMonth(next.getUTCMonth() + 1);
  return next.toISOString().slice(0, 7);
}

/** Inserts a record and seals it in a checkpoint of its own. */
async function sealRecord(createdAt: string, entityId: string, of = tenant.id): Promise<void> {
  await owner().query(
    `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome)
      values ($1, $2, 'token', $3, 'read', 'success')`,
    [of, createdAt, entityId],
  );
  await seal();
}

/** Forges the record of a removal, which the database owner could do, and seals it. */
async function forgeRemoval(month: string, more: { createdAt?: string; details?: string } = {}): Promise<void> {
  await owner().query(
    `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome, actor_type, details)
      values ($1, coalesce($2::timestamptz, now()), 'log', $3, 'delete', 'success', 'system', $4)`,
    [tenant.id, more.createdAt ?? null, month, more.details ?? null],
  );
  await seal();
}

describe('records of a month that retention has not dropped', () => {
  it('are missing, however their partition is called and whatever a record of another time says', async () => {
    const month = monthAgo(2);
    await makePartition(month);
    await sealRecord(`${month}-15`, 'kept');
    await sealRecord(`${month}-15`, 'deleted');
    expect(await verify()).toEqual([]);
    await owner().query(`alter table ${partitionOf(month)} rename to audit_records_old`);
    await owner().query(`delete from audit_records where tenant_id = $1 and entity_id = 'deleted'`, [tenant.id]);
    await makePartition('2130-01');
    await forgeRemoval(month, { createdAt: '2130-01-02' });
    expect(await verify()).toEqual(['records-missing', 'record-postdated']);
  });

  it('are missing while a partition takes the month, whatever its bounds are', async () => {
    const month = monthAgo(2);
    await makePartition(month);
    await sealRecord(`${month}-15`, 'deleted');
    await owner().query(`drop table ${partitionOf(month)}`);
    expect(await verify()).toEqual(['month-removed']);
    await owner().query(`create table everything_before partition of audit_records
      for values from (minvalue) to ('${monthAfter(month)}-01 00:00:00+00')`);
    expect(await verify()).toEqual(['records-missing']);
    await owner().query('drop table everything_before');
    await owner().query('create table everything_else partition of audit_records default');
    expect(await verify()).toEqual(['records-missing']);
  });

  it('are gone without a reason if nobody has signed their removal, in the database and in an export', async () => {
    const month = monthAgo(2);
    await makePartition(month);
    await sealRecord(`${month}-15`, 'deleted');
    await owner().query(`drop table ${partitionOf(month)}`);
    await forgeRemoval(month);
    expect(await verify()).toEqual(['month-removed']);
    const file = path.join(folder, 'forged.ndjson');
    const log = openLog();
    await writeExport({ path: file, ...log, tenantIds: [tenant.id], ...quiet });
    expect(kindsOf(await verifyExport(file, log.publicKey, quiet))).toEqual(['month-removed']);
  });

  it.each(['May 1 2000 (', 'nothing', '2026-13', ''])(
    'are gone without a reason if a record names %j',
    async (name) => {
      const month = monthAgo(2);
      await makePartition(month);
      await sealRecord(`${month}-15`, 'deleted');
      await owner().query(`drop table ${partitionOf(month)}`);
      await forgeRemoval(name);
      expect(await verify()).toEqual(['month-removed']);
    },
  );

  it('are gone without a reason if a record names the right checkpoint without the signature of the vault', async () => {
    const month = monthAgo(2);
    await makePartition(month);
    await sealRecord(`${month}-15`, 'deleted');
    const checkpoint = await checkpointOf(month);
    await owner().query(`drop table ${partitionOf(month)}`);
    const signature = Buffer.alloc(64, 1).toString('base64');
    await forgeRemoval(month, { details: JSON.stringify({ ...checkpoint, signature }) });
    expect(await verify()).toEqual(['month-removed']);
  });

  it('are gone without a reason if the vault signed the removal of a log that was cut back since', async () => {
    const month = monthAgo(monthsKept + 1);
    await makePartition(month);
    await sealRecord(`${month}-15`, 'old');
    const { number } = await checkpointOf(month);
    await drop();
    await seal();
    const { rows } = await owner().query<{ details: string }>(
      `delete from audit_records where tenant_id = $1 and entity_type = 'log' and operation = 'delete' returning details`,
      [tenant.id],
    );
    await owner().query(`delete from audit_records where tenant_id = $1 and entity_id = 'old'`, [tenant.id]);
    await owner().query('delete from audit_checkpoints where tenant_id = $1 and number >= $2', [tenant.id, number]);
    await sealRecord(`${month}-16`, 'another');
    expect((await checkpointOf(month)).number).toBe(number);
    await owner().query(`drop table ${partitionOf(month)}`);
    await forgeRemoval(month, { details: rows[0]?.details ?? '' });
    expect(await verify()).toEqual(['month-removed']);
  });

  it('are gone without a reason if what was signed is of another tenant and month', async () => {
    const [month, droppedMonth] = [monthAgo(2), monthAgo(monthsKept + 1)];
    const other = await vault.makeTenant();
    for (const each of [month, droppedMonth]) await makePartition(each);
    await sealRecord(`${month}-15`, 'deleted');
    await sealRecord(`${droppedMonth}-15`, 'old', other.id);
    await drop();
    await seal();
    const { rows } = await owner().query<{ details: string }>(
      `select details from audit_records where tenant_id = $1 and entity_type = 'log' and operation = 'delete'`,
      [other.id],
    );
    await owner().query(`drop table ${partitionOf(month)}`);
    expect(rows).toHaveLength(1);
    for (const { details } of rows) await forgeRemoval(month, { details });
    expect(await verify()).toEqual(['month-removed']);
  });
});

describe('a month that retention drops', () => {
  const month = monthAgo(monthsKept + 1);

  it('is believed to be dropped in an export too, and its removal says what was removed', async () => {
    await makePartition(month);
    await sealRecord(`${month}-15`, 'old');
    await drop();
    await seal();
    await drop();
    expect(await verify()).toEqual([]);
    const file = path.join(folder, 'dropped.ndjson');
    const log = openLog();
    await writeExport({ path: file, ...log, tenantIds: [tenant.id], ...quiet });
    const verdict = await verifyExport(file, log.publicKey, quiet);
    expect([verdict.findings, verdict.tenants.map(({ dropped }) => dropped)]).toEqual([[], [1]]);
  });

  it('stays while the clock of the worker does not agree that its time is over', async () => {
    await makePartition(month);
    await sealRecord(`${month}-15`, 'old');
    const now = () => new Date(`${monthAgo(2)}-15T00:00:00Z`);
    for (const _round of [1, 2]) {
      await dropOldMonths(vault.database.open(), { ...retention(), now });
      await seal();
    }
    const { rows } = await owner().query(`select to_regclass('${partitionOf(month)}')::text as kept`);
    expect(rows).toEqual([{ kept: partitionOf(month) }]);
    expect((await owner().query(`select from audit_records where operation = 'delete'`)).rows).toEqual([]);
  });

  it('is recorded again if something of it was sealed after the first record', async () => {
    await makePartition(month);
    await sealRecord(`${month}-15`, 'old');
    await drop();
    await seal();
    await sealRecord(`${month}-16`, 'straggler');
    await drop();
    expect(await verify()).toEqual([]);
    await seal();
    await drop();
    const { rows } = await owner().query(`select to_regclass('${partitionOf(month)}') as kept`);
    expect(rows).toEqual([{ kept: null }]);
    expect(await verify()).toEqual([]);
  });

  it('does not excuse what was sealed under its name afterwards', async () => {
    await makePartition(month);
    await sealRecord(`${month}-15`, 'old');
    await drop();
    await seal();
    await drop();
    await makePartition(month);
    await sealRecord(`${month}-16`, 'late');
    await owner().query(`drop table ${partitionOf(month)}`);
    expect(await verify()).toEqual(['month-removed']);
  });

  it('stays as long as its newest checkpoint is not what was signed', async () => {
    await makePartition(month);
    await sealRecord(`${month}-15`, 'old');
    await owner().query(`update audit_checkpoints set root = sha256('') where month = $1`, [`${month}-01`]);
    await expect(drop()).rejects.toThrow(
      /is not what was signed, so .* is not dropped\. Run `strongroom audit verify`/,
    );
    const { rows } = await owner().query(`select from audit_records where operation = 'delete'`);
    expect(rows).toEqual([]);
  });
});

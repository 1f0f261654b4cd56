import { randomInt } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Sensitive } from '../../src/core/identity/sensitive.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { ExposureService, toTokenFilter } from '../../src/features/exposure/index.ts';
import { ArchivedLogs, LogService } from '../../src/features/logs/index.ts';
import { addArchiveGauge } from '../../src/platform/audit/archive/archive-gauge.ts';
import { archiveMonths } from '../../src/platform/audit/archive/archive-months.ts';
import { toManifestText } from '../../src/platform/audit/archive/archive-manifest.ts';
import { ArchivedLogReader } from '../../src/platform/audit/archive/archived-log-reader.ts';
import { findArchivedRemovals } from '../../src/platform/audit/archive/archived-removals.ts';
import { LogArchive } from '../../src/platform/audit/archive/log-archive.ts';
import { dropOldMonths } from '../../src/platform/audit/retention/audit-retention-job.ts';
import { isProven, proveInclusion } from '../../src/platform/audit/verify/inclusion-proof.ts';
import { verifyDatabase } from '../../src/platform/audit/verify/log-verification.ts';
import { openObjectStore } from '../../src/platform/object-storage/open-object-store.ts';
import { Metrics } from '../../src/platform/telemetry/metrics.ts';
import { untilTrue } from '../harness/deadline.ts';
import { ObjectStorage } from '../harness/object-storage.ts';
import { sealAll, signerOf } from '../harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/** How many bytes of the archive are changed, one at a time. `npm run test:archive` changes a thousand. */
const changes = Number(process.env['ARCHIVE_CHANGES'] ?? 40);
const monthsKept = 4;
const recordsPerMonth = 30;

let vault: TestVault;
let tenant: TestTenant;
let folder: string;
let storage: ObjectStorage;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'strongroom-archive-'));
  storage = await ObjectStorage.start();
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  for (let back = 8; back > 0; back -= 1) await fillMonth(back);
  await seal();
});
afterAll(async () => {
  await vault.stop();
  await storage.stop();
  await rm(folder, { recursive: true });
});

const seal = () => sealAll(vault.database, signerOf(vault.server));

/** Makes the partition of a month in the past, and fills it. */
async function fillMonth(back: number): Promise<void> {
  const { owner } = vault.database;
  const begin = `date_trunc('month', now() at time zone 'UTC') - make_interval(months => ${back})`;
  await owner.query(`do $$ begin
    execute format('create table audit_records_%s partition of audit_records for values from (%L) to (%L)',
      to_char(${begin}, 'YYYY_MM'), (${begin}) at time zone 'UTC', (${begin} + interval '1 month') at time zone 'UTC');
  end $$`);
  await owner.query(
    `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome, transform, actor_type)
      select $1, (${begin}) at time zone 'UTC' + make_interval(mins => n), 'token', 'token-' || n, 'read', 'success', 'reveal', 'application'
      from generate_series(1, ${recordsPerMonth}) n`,
    [tenant.id],
  );
  await seal();
}

const places = {
  folder: () => ({ folder: path.join(folder, 'months') }),
  's3, spoken by an endpoint of the test': () => ({
    s3: {
      bucket: 'audit',
      prefix: 'vault/one',
      region: 'us-east-1',
      endpoint: storage.url,
      accessKey: { id: 'AKIDEXAMPLE12345', secret: new Sensitive('secret') },
    },
  }),
};

function open(place: keyof typeof places = 'folder') {
  const signer = signerOf(vault.server);
  const database = vault.database.open();
  const store = openObjectStore(places[place]());
  const archive = new LogArchive(store, signer.publicKey);
  return { signer, database, store, archive, reader: new ArchivedLogReader(database, archive) };
}

async function verify(place?: keyof typeof places) {
  const { signer, reader, archive } = open(place);
  const log = { reader, publicKey: signer.publicKey, archive };
  const { findings, tenants, archive: read } = await verifyDatabase(log, tenant.id, { onProgress: () => undefined });
  return { findings, verified: tenants[0]?.verified, dropped: tenants[0]?.dropped, damages: read?.damages };
}

async function isThere(back: number): Promise<boolean> {
  const { rows } = await vault.database.owner.query<{ name: string | null }>(
    `select to_regclass('audit_records_' || to_char(now() at time zone 'UTC' - make_interval(months => $1), 'YYYY_MM')) as name`,
    [back],
  );
  return rows[0]?.name !== null;
}

it('is not needed by retention unless it is configured; if it is, nothing is dropped that it does not have', async () => {
  const { database, signer, archive } = open();
  const findArchived = (month: string) => findArchivedRemovals(database, archive, month);
  for (let run = 0; run < 2; run += 1) {
    await dropOldMonths(database, { monthsKept, signer, findArchived });
    await seal();
  }
  expect(await isThere(8)).toBe(true);
});

/** Returns the series about months that wait for the archive, as a worker reports them. */
async function listWaiting(hasArchive = true): Promise<{ readonly month: string; readonly seconds: number }[]> {
  const metrics = new Metrics();
  addArchiveGauge(metrics, vault.database.open(), { hasArchive, monthsKept });
  const lines = (await metrics.render()).matchAll(
    /^strongroom_audit_archive_waiting_seconds\{month="(.+)"\} (\d[\d.]*)$/gm,
  );
  return [...lines].map(([, month = '', seconds]) => ({ month, seconds: Number(seconds) }));
}

it('is reported to lack the oldest month that waits for it, and for how long', async () => {
  const begin = (back: number) => {
    const now = new Date();
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1));
  };
  const [waiting, ...others] = await listWaiting();
  expect(others).toEqual([]);
  expect(waiting?.month).toBe(begin(8).toISOString().slice(0, 7));
  // It became too old when the fourth whole month after it was over.
  const expected = (Date.now() - begin(3).getTime()) / 1_000;
  expect(Math.abs((waiting?.seconds ?? 0) - expected)).toBeLessThan(3_600);
  expect(await listWaiting(false)).toEqual([]);
});

it('stays beside the database with --keep, in a folder and in S3, and verifies there', async () => {
  for (const place of ['folder', 's3, spoken by an endpoint of the test'] as const) {
    const months = await archiveMonths(open(place), { monthsKept, drops: false });
    expect(months.map(({ isDropped, records }) => ({ isDropped, records }))).toEqual(
      Array.from({ length: 4 }, () => ({ isDropped: false, records: recordsPerMonth })),
    );
    expect(await verify(place)).toMatchObject({ findings: [], damages: [], dropped: 0 });
  }
  expect([...storage.objects.keys()].every((key) => key.startsWith('audit/vault/one/'))).toBe(true);
});

it('is read before retention drops a month, so that storage that has lost or changed a file loses nothing', async () => {
  const month = path.join(folder, 'months', (await readdir(path.join(folder, 'months'))).toSorted()[0] ?? '');
  const name = (await readdir(month)).find((each) => each.endsWith('.ndjson.gz')) ?? '';
  const file = path.join(month, name);
  const content = await readFile(file);
  const drop = async () => {
    const { database, signer, archive } = open();
    const findArchived = (of: string) => findArchivedRemovals(database, archive, of);
    await dropOldMonths(database, { monthsKept, signer, findArchived });
  };
  await rm(file);
  await expect(drop()).rejects.toThrow('is missing');
  await writeFile(file, content.subarray(1));
  await expect(drop()).rejects.toThrow('was changed after it was written');
  await seal();
  await expect(drop()).rejects.toThrow('was changed after it was written');
  expect(await isThere(8)).toBe(true);
  await writeFile(file, content);
});

it('says what is wrong with the storage, without what the storage sent', async () => {
  storage.refusal = { status: 403, code: 'AccessDenied' };
  await expect(
    archiveMonths(open('s3, spoken by an endpoint of the test'), { monthsKept, drops: false }),
  ).rejects.toThrow(
    'cannot be used (AccessDenied, status 403). Check the bucket, the region, the endpoint and the credentials.',
  );
  storage.refusal = undefined;
});

it('has what is dropped, and answers who has seen a token as before', async () => {
  const before = await verify();
  const viewersOf = async () => {
    const { archive, reader } = open();
    const logs = new ArchivedLogs(new LogService(vault.server.core), { archive, reader });
    const period = { from: undefined, to: undefined };
    return new ExposureService(logs).findViewers(toTokenFilter('token-7', period), {
      tenantId: parseTenantId(tenant.id),
      limits: { recordsMax: 100_000, linesMax: 100_000 },
    });
  };
  const seen = await viewersOf();
  expect(seen.records).toBe(8);
  const sealing = new AbortController();
  const sealed = untilTrue(async () => (await seal(), sealing.signal.aborted), {
    waitingFor: 'the months to be dropped',
  });
  const months = await archiveMonths(open(), { monthsKept, drops: true });
  sealing.abort();
  await sealed;
  expect(months.map(({ isDropped }) => isDropped)).toEqual([true, true, true, true]);
  expect(await Promise.all([8, 7, 6, 5, 4].map(isThere))).toEqual([false, false, false, false, true]);
  expect(await listWaiting()).toEqual([]);

  const after = await verify();
  expect(after).toMatchObject({ findings: [], damages: [], dropped: 0 });
  expect(after.verified).toBeGreaterThan(before.verified ?? 0);
  expect(await viewersOf()).toEqual(seen);
});

it('proves records that only it has', async () => {
  const { archive, reader, signer } = open();
  const [file] = await archive.listFiles(tenant.id);
  const [record] = file === undefined ? [] : ((await archive.readFile(file))[0]?.records ?? []);
  const proof = await proveInclusion(reader, tenant.id, record?.id ?? '');
  expect(isProven(proof, signer.publicKey)).toBe(true);
  expect(proof.record.id).toBe(record?.id);
});

describe('what was done to an archive', () => {
  const at = (...names: string[]) => path.join(folder, 'months', ...names);
  async function listFiles(): Promise<string[]> {
    const months = await readdir(at());
    const names = await Promise.all(
      months.map(async (month) => (await readdir(at(month))).map((file) => `${month}/${file}`)),
    );
    return names.flat();
  }

  it(`is found: ${changes} changed bytes`, { timeout: 1_800_000 }, async () => {
    const files = await listFiles();
    expect(files).toHaveLength(8);
    for (let change = 0; change < changes; change += 1) {
      const name = files[change % files.length] ?? '';
      const original = await readFile(at(name));
      const changed = Buffer.from(original);
      const index = randomInt(changed.length);
      changed[index] = (changed[index] ?? 0) ^ (1 << randomInt(8));
      await writeFile(at(name), changed);
      const { findings, damages = [] } = await verify();
      await writeFile(at(name), original);
      expect({ name, index, isFound: findings.length + damages.length > 0 }).toEqual({ name, index, isFound: true });
    }
    expect(await verify()).toMatchObject({ findings: [], damages: [] });
  });

  it('is found: a file, a manifest or a month that is missing, and reports refuse to go on', async () => {
    const files = await listFiles();
    const [month = ''] = await readdir(at());
    for (const name of [...files.slice(0, 2), month]) {
      await rename(at(name), path.join(folder, 'aside'));
      const { damages } = await verify();
      expect(damages?.join(' ')).toContain(month);
      await rename(path.join(folder, 'aside'), at(name));
    }
    const [file = ''] = files.filter((name) => name.endsWith('.gz'));
    const original = await readFile(at(file));
    await writeFile(at(file), Buffer.concat([original, Buffer.from('x')]));
    const { archive, reader } = open();
    const logs = new ArchivedLogs(new LogService(vault.server.core), { archive, reader });
    const filter = toTokenFilter('token-7', { from: undefined, to: undefined });
    const readAll = async () => {
      for await (const page of logs.listAll({ tenantId: parseTenantId(tenant.id) }, filter)) expect(page).toBeDefined();
    };
    await expect(readAll()).rejects.toThrow(file);
    await writeFile(at(file), original);
  });

  it('is found by reports too: a month that is missing, or replaced by an older archive of it', async () => {
    const months = (await readdir(at())).toSorted();
    const readAll = async () => {
      const { archive, reader } = open();
      const logs = new ArchivedLogs(new LogService(vault.server.core), { archive, reader });
      const filter = toTokenFilter('token-7', { from: undefined, to: undefined });
      let read = 0;
      for await (const page of logs.listAll({ tenantId: parseTenantId(tenant.id) }, filter)) read += page.length;
      return read;
    };
    expect(await readAll()).toBe(8);
    const [, second = ''] = months;
    await rename(at(second), path.join(folder, 'aside'));
    await expect(readAll()).rejects.toThrow(`The end of ${second}`);
    // An archive of a log that had less of this month is genuine as well.
    const { signer } = open();
    const store = openObjectStore(places.folder());
    const shorter = { month: second, public_key: signer.publicKey.toString('base64'), files: [] };
    await store.put(`${second}/manifest`, Buffer.from(toManifestText(shorter, signer)));
    await expect(readAll()).rejects.toThrow(`The end of ${second}`);
    expect((await verify()).damages?.join(' ')).toContain(second);
    await rm(at(second), { recursive: true });
    await rename(path.join(folder, 'aside'), at(second));
    expect(await readAll()).toBe(8);
  });

  it('is found: an archive of another vault', async () => {
    const manifest = await readFile(at((await readdir(at()))[0] ?? '', 'manifest'));
    const store = openObjectStore({ folder: path.join(folder, 'foreign') });
    await store.put('2020-01/manifest', manifest);
    const foreign = new LogArchive(store, Buffer.alloc(32, 7));
    await expect(foreign.listFiles()).rejects.toThrow('is not what this vault has signed');
  });
});

it('is not written from a log that was changed', async () => {
  await fillMonth(9);
  await vault.database.owner.query(
    `update audit_records set entity_id = 'other' where tenant_id = $1 and entity_id = 'token-3'
      and created_at < date_trunc('month', now()) - interval '8 months'`,
    [tenant.id],
  );
  await expect(archiveMonths(open(), { monthsKept, drops: true })).rejects.toThrow('audit verify');
  expect(await isThere(9)).toBe(true);
});

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilPasses } from '../../../../test/harness/deadline.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import { LocalPostgres } from '../../local-postgres/local-postgres.ts';
import type { Database } from '../database.ts';
import { readDisk } from './database-inspection.ts';
import { migrate } from '../migrations/migrator.ts';
import { checkClock, toReading } from './clock-offset.ts';
import { checkDiskSpace } from './disk-space.ts';
import { judgeGround } from './ground-checks.ts';
import { readGround } from './ground-reading.ts';

// Each check is tested in both states. The checks of standbys are tested in test/guarantees/required-standby.test.ts,
// because that suite has a standby.

/** A server with safe settings, except for an archive that cannot be written to. */
let postgres: LocalPostgres;
let careful: TestDatabase;
/** The shared test server, whose settings favour speed over safety. */
let careless: TestDatabase;
let opened: ReadonlyMap<TestDatabase, Database>;
beforeAll(async () => {
  const settings = { archive_mode: 'on' };
  postgres = await LocalPostgres.start({ password: randomBytes(16).toString('hex'), settings });
  await migrate(postgres.url);
  careful = openTestDatabase(postgres.url);
  careless = await createTestDatabase();
  opened = new Map([careful, careless].map((database) => [database, database.open({ connectionsMax: 1 })]));
});
afterAll(async () => {
  await Promise.all([careful.drop(), careless.drop()]);
  await postgres.stop();
});

function read(database: TestDatabase) {
  const asVault = opened.get(database);
  if (asVault === undefined) throw new Error('This database was not opened.');
  return readGround(asVault);
}

async function find(database: TestDatabase, name: string) {
  const reading = await read(database);
  return judgeGround(reading, { requiresStandby: false, connectionsMax: 8 }).find((finding) => finding.name === name);
}

describe('settings', () => {
  it.each([
    ['fsync', 'fail', 'an acknowledged write survives a power loss'],
    ['full_page_writes', 'warn', 'stored data survives a power loss'],
    ['synchronous_commit', 'fail', 'an acknowledged write survives a crash of PostgreSQL'],
  ])('%s', async (name, verdict, promise) => {
    expect(await find(careful, name)).toEqual({ name, verdict: 'ok', detail: 'on' });
    const broken = await find(careless, name);
    expect(broken).toMatchObject({ verdict, detail: expect.stringMatching(/^off: /) });
    expect(broken?.promise).toContain(promise);
    expect(broken?.remedy).toContain(`set ${name} = on`);
  });

  it.each([
    ['local', 'fail'],
    ['remote_write', 'warn'],
    ['on', 'ok'],
    ['remote_apply', 'ok'],
  ])('synchronous_commit %s with a standby', async (value, verdict) => {
    const reading = await read(careful);
    const judged = judgeGround(
      { ...reading, synchronousCommit: value, standbysNeeded: 1 },
      { requiresStandby: false, connectionsMax: 8 },
    );
    expect(judged.find(({ name }) => name === 'synchronous_commit')?.verdict).toBe(verdict);
  });
});

describe('the archive', () => {
  const archiveBy = async (command: string) => {
    await careful.owner.query(`alter system set archive_command = '${command}'`);
    await careful.owner.query('select pg_reload_conf()');
    await careful.owner.query('create table if not exists ballast (n integer); insert into ballast values (1)');
    await careful.owner.query('select pg_switch_wal()');
  };

  it('is off, was never used, fails, and works', async () => {
    expect(await find(careless, 'WAL archive')).toMatchObject({
      verdict: 'warn',
      detail: expect.stringContaining('is off'),
    });
    expect(await find(careful, 'WAL archive')).toMatchObject({ verdict: 'warn', detail: 'nothing was archived yet' });
    await archiveBy('false');
    await untilPasses(async () =>
      expect(await find(careful, 'WAL archive')).toMatchObject({
        verdict: 'fail',
        detail: expect.stringContaining('the last attempt failed'),
        promise: expect.stringContaining('a backup can be restored to the moment'),
      }),
    );
    await archiveBy('true');
    await untilPasses(async () => expect(await find(careful, 'WAL archive')).toMatchObject({ verdict: 'ok' }));
  });

  it('is too old', async () => {
    const reading = {
      ...(await read(careful)),
      archivedAgeSeconds: 7_200,
      archiveFailingSeconds: 0,
    };
    const judged = judgeGround(reading, { requiresStandby: false, connectionsMax: 8 });
    expect(judged.find(({ name }) => name === 'WAL archive')).toMatchObject({
      verdict: 'warn',
      detail: 'last archived 120 min ago',
      remedy: expect.stringContaining('archive_timeout'),
    });
  });
});

describe('connections', () => {
  it('are enough, or limited for the login or the database', async () => {
    expect(await find(careful, 'connection limit')).toMatchObject({ verdict: 'ok' });
    await careful.owner.query('alter database postgres connection limit 9');
    const tight = await find(careful, 'connection limit');
    expect(tight).toMatchObject({ verdict: 'warn', detail: expect.stringContaining('the database allows 9') });
    await careful.owner.query('alter database postgres connection limit -1');
    await careful.owner.query('alter role postgres connection limit 1');
    expect(await find(careful, 'connection limit')).toMatchObject({
      verdict: 'fail',
      detail: expect.stringContaining('the login allows 1'),
    });
    await careful.owner.query('alter role postgres connection limit -1');
  });
});

describe('the clock', () => {
  it('of this machine and of a database on it agree', async () => {
    expect(await find(careful, 'clock')).toMatchObject({ verdict: 'ok' });
  });

  it.each([
    [0, 20, 'ok'],
    [900, 20, 'ok'],
    [1_500, 20, 'warn'],
    [-1_500, 20, 'warn'],
    [6_000, 20, 'fail'],
    [-6_000, 20, 'fail'],
    // A slow response may explain the offset.
    [6_000, 20_000, 'ok'],
  ])('is %d ms ahead, measured in %d ms: %s', (aheadMs, tookMs, verdict) => {
    const askedAt = 1_000_000;
    const clock = toReading({ askedAt, answeredAt: askedAt + tookMs, databaseMs: askedAt + tookMs / 2 + aheadMs });
    expect(checkClock({ clock }).verdict).toBe(verdict);
  });
});

describe('the disk', () => {
  it('is looked at if it is on this machine and the login may know where', async () => {
    const reading = await readDisk(postgres.url);
    expect((await checkDiskSpace(reading)).detail).toContain(`are free in ${postgres.dataDirectory}`);
    for (const hidden of [
      { dataDirectory: null },
      { serverAddress: '192.0.2.1' },
      { dataDirectory: '/nowhere/at/all' },
    ])
      expect(await checkDiskSpace({ ...reading, ...hidden })).toMatchObject({
        verdict: 'unknown',
        detail: expect.stringContaining('StrongroomDiskNearlyFull'),
      });
  });

  it.each([
    [0.5, 'ok'],
    [0.09, 'warn'],
    [0.01, 'fail'],
  ])('of which %d is free', async (share, verdict) => {
    const reading = await readDisk(postgres.url);
    expect((await checkDiskSpace(reading, async () => ({ bytes: 1, share }))).verdict).toBe(verdict);
  });

  it('that a replication slot fills', async () => {
    const reading = { ...(await readDisk(postgres.url)), slotBytes: 20 * 1024 ** 3 };
    expect(await checkDiskSpace(reading)).toMatchObject({
      verdict: 'warn',
      detail: expect.stringContaining('keeps 20.0 GiB'),
    });
  });

  it('is told of a login that may not see the folder', async () => {
    await careful.owner.query(`create role plain login password 'plain'`);
    const url = new URL(postgres.url);
    url.username = 'plain';
    url.password = 'plain';
    expect(await readDisk(url.href)).toMatchObject({ dataDirectory: null, databaseBytes: expect.any(Number) });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../../test/harness/deadline.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import { WireRelay } from '../../../../test/harness/wire-relay.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { ChangeFeed } from '../changes/change-feed.ts';
import { ConnectionOrigins } from './connection-origin.ts';
import type { Database } from '../database.ts';
import { listServerMarks } from '../ground/database-inspection.ts';

const tenantId = crypto.randomUUID() as TenantId;
const nameOf = ({ url }: TestDatabase) => new URL(url).pathname.slice(1);

let old: TestDatabase;
let promoted: TestDatabase;
let target: TestDatabase;
let relay: WireRelay;
let url: string;
beforeAll(async () => {
  [old, promoted] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  // New connections reach the current target. Existing ones stay connected to the old primary, which keeps running.
  relay = await WireRelay.start(old.url, { onStartup: (parameters) => parameters.set('database', nameOf(target)) });
  url = relay.urlOf(old.url);
});
afterAll(async () => {
  await relay.stop();
  await Promise.all([old.drop(), promoted.drop()]);
});
beforeEach(() => {
  target = old;
});

async function reached(database: Database): Promise<string | undefined> {
  const text = 'select current_database() as name, pg_sleep(0.2)';
  return (await database.runForTenant<{ name: string }>(tenantId, { text }))[0]?.name;
}

/** Ends one of the sessions between a pool and the old primary. */
async function breakOne(applicationName: string): Promise<void> {
  await old.owner.query(
    `select pg_terminate_backend(pid, 5000) from (select pid from pg_stat_activity
      where datname = current_database() and application_name = $1 limit 1) one`,
    [applicationName],
  );
}

/** Opens two connections to the old primary, then replaces one of them with a connection to the new one. */
async function failOver(database: Database, applicationName: string): Promise<void> {
  expect(await Promise.all([reached(database), reached(database)])).toEqual([nameOf(old), nameOf(old)]);
  target = promoted;
  await breakOne(applicationName);
  await untilTrue(async () => (await Promise.allSettled([reached(database), reached(database)])).some(isOnPromoted), {
    waitingFor: 'a connection to the new primary',
  });
}

const isOnPromoted = (outcome: PromiseSettledResult<string | undefined>) =>
  outcome.status === 'fulfilled' && outcome.value === nameOf(promoted);

describe('after a failover that leaves the old primary running', () => {
  it('sends nothing to the old one once a connection has reached the new one', async () => {
    const database = old.open({ url, connectionsMax: 2, applicationName: 'strongroom one' });
    await failOver(database, 'strongroom one');
    for (let round = 0; round < 3; round += 1) {
      const names = await Promise.all([reached(database), reached(database)]);
      expect(names).toEqual([nameOf(promoted), nameOf(promoted)]);
    }
  });

  it('learns of changes from the new one, where keys are revoked now', async () => {
    const origin = new ConnectionOrigins().of(url);
    const database = old.open({ url, connectionsMax: 2, applicationName: 'strongroom two', origin });
    const feed = new ChangeFeed(url, 'mark', origin);
    const changes: string[] = [];
    feed.onChange((table, id) => changes.push(`${table} ${id}`));
    await feed.start();
    try {
      await failOver(database, 'strongroom two');
      await untilTrue(async () => (await listServerMarks(promoted.url)).includes('mark') && feed.isCurrent, {
        waitingFor: 'the feed to follow',
      });
      await untilTrue(async () => (await listServerMarks(old.url)).length === 0, {
        waitingFor: 'its old connection to end',
      });
      await promoted.owner.query(`select pg_notify('strongroom_changes', 'application_keys revoked')`);
      await untilTrue(() => changes.length > 0, { waitingFor: 'the change' });
      expect(changes).toEqual(['application_keys revoked']);
    } finally {
      await feed.stop();
    }
  });
});

describe('a pool whose neighbour has reached the new primary', () => {
  it('leaves the old one, although all of its own connections work', async () => {
    const origins = new ConnectionOrigins();
    const pool = old.open({ url, connectionsMax: 2, origin: origins.of(url) });
    expect(await Promise.all([reached(pool), reached(pool)])).toEqual([nameOf(old), nameOf(old)]);
    target = promoted;
    const asOwner = url.replace(/\/\/[^@]*@/, '//somebody:else@');
    expect(origins.of(asOwner)).toBe(origins.of(url));
    const feed = new ChangeFeed(url, 'first', origins.of(asOwner));
    await feed.start();
    await untilTrue(() => feed.isCurrent, { waitingFor: 'the feed' });
    expect(await Promise.all([reached(pool), reached(pool)])).toEqual([nameOf(promoted), nameOf(promoted)]);
    await feed.stop();
  });
});

describe('an address that names its connections', () => {
  it.each(['application_name=payments', 'ssl=0&application_name=payments', 'application%5Fname=a&application_name=b'])(
    'does not hide a server from a rotation of the root key: %s',
    async (settings) => {
      const feed = new ChangeFeed(`${old.url}?${settings}`, 'hidden');
      await feed.start();
      try {
        await untilTrue(() => feed.isCurrent, { waitingFor: 'the feed' });
        expect(await listServerMarks(old.url)).toEqual(['hidden']);
        const named = old.open({ url: `${old.url}?${settings}`, applicationName: 'strongroom' });
        const rows = await named.forSystem((tx) =>
          tx.query({ text: `select current_setting('application_name') as name` }),
        );
        expect(rows).toEqual([{ name: 'strongroom' }]);
      } finally {
        await feed.stop();
      }
      await untilTrue(async () => (await listServerMarks(old.url)).every((mark) => mark !== 'hidden'), {
        waitingFor: 'the feed to end',
      });
    },
  );
});

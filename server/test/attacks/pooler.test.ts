import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { ChangeFeed } from '../../src/platform/database/changes/change-feed.ts';
import { migrate, requireFittingSchema } from '../../src/platform/database/migrations/migrator.ts';
import { generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { EpochChannel } from '../../src/platform/keyring/cvc/epoch-channel.ts';
import { untilTrue } from '../harness/deadline.ts';
import { LocalPgbouncer } from '../harness/local-pgbouncer.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { TestVault } from '../harness/test-vault.ts';
import { WireRelay, type WireRelayOptions } from '../harness/wire-relay.ts';

const rootKey = generateRootKey();
const parsedRootKey = parseRootKey(rootKey);
let database: TestDatabase;
const relays: WireRelay[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Program.killAll();
  await Promise.all(relays.splice(0).map((relay) => relay.stop()));
});
afterAll(() => database.drop());

async function relay(options: WireRelayOptions): Promise<string> {
  const started = await WireRelay.start(inject('postgresUrl'), options);
  relays.push(started);
  return started.urlOf(database.url);
}
const listening = async (name: string) => {
  const { rows } = await database.owner.query<{ count: number }>(
    'select count(*)::integer as count from pg_stat_activity where datname = current_database() and application_name like $1',
    [`${name}%`],
  );
  return rows[0]?.count ?? 0;
};

const settingsFor = (url: string) => ({
  STRONGROOM_DATABASE_URL: url,
  STRONGROOM_ROOT_KEY: rootKey,
  STRONGROOM_PUBLIC_URL: 'http://localhost',
  STRONGROOM_PORT: '0',
  STRONGROOM_ADMIN_PORT: '0',
  STRONGROOM_WORKER_ADMIN_PORT: '0',
});

describe.each(['session', 'transaction', 'statement'] as const)('PgBouncer in %s mode, ignoring options', (mode) => {
  let pooler: LocalPgbouncer;
  beforeAll(async () => {
    pooler = await LocalPgbouncer.start(inject('postgresUrl'), mode);
  });
  afterAll(() => pooler.stop());

  it('is refused by what every command begins with', async () => {
    const url = pooler.urlOf(database.url);
    for (const begin of [
      () => requireFittingSchema(url),
      () => migrate(url),
      () => database.open({ url }).requireConnection(),
    ]) {
      await expect(begin()).rejects.toThrow(/^The database address points to a connection pooler/);
    }
  });

  it('nothing is read through it', async () => {
    const open = database.open({ url: pooler.urlOf(database.url) });
    const reading = open.forSystem((tx) => tx.query({ text: 'select * from audit_records' }));
    await expect(reading).rejects.toMatchObject({ code: 'overloaded', cause: { name: 'Error' } });
    expect(open.usage.open).toBe(0);
  });
});

/**
 * The difference between a pooler and PostgreSQL depends neither on the pooler's mode nor on the command, so each is
 * tested once.
 */
describe('PgBouncer in front of a command', () => {
  let pooler: LocalPgbouncer;
  beforeAll(async () => {
    pooler = await LocalPgbouncer.start(inject('postgresUrl'), 'transaction');
  });
  afterAll(() => pooler.stop());
  const settings = () => settingsFor(pooler.urlOf(database.url));

  it.each([['serve'], ['work'], ['migrate'], ['bootstrap', '--name', 'Acme']])(
    '%s refuses it in one line',
    async (...command) => {
      const { code, stdout, stderr } = await Program.run(command, settings());
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^The database address points to a connection pooler [^\n]*\n$/);
    },
  );

  it('doctor refuses it', async () => {
    const { code, stdout } = await Program.run(['doctor'], settings());
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL connection: The database address points to a connection pooler .*$/m);
  });

  it('doctor and work refuse it for the owner as well', async () => {
    const owner = {
      ...settings(),
      STRONGROOM_DATABASE_URL: database.url,
      STRONGROOM_DATABASE_OWNER_URL: pooler.urlOf(database.url),
    };
    const doctor = await Program.run(['doctor'], owner);
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringContaining('FAIL connection: ') });
    const work = await Program.run(['work'], owner);
    expect(work).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The database address points to a connection pooler/),
    });
  });
});

describe('a session that is not what was asked for', () => {
  const changed = (change: (options: string) => string) => (parameters: Map<string, string>) =>
    void parameters.set('options', change(parameters.get('options') ?? ''));

  it.each<[string, (parameters: Map<string, string>) => void]>([
    ['all options dropped', (parameters) => void parameters.delete('options')],
    ['the role dropped', changed((options) => options.replace('-c role=strongroom_app', ''))],
    ['another role', changed((options) => options.replace('role=strongroom_app', 'role=strongroom_sealer'))],
    ['the role taken back', changed((options) => `${options} -c role=none`)],
    ['no statement time-out', changed((options) => options.replace(/-c statement_timeout=\d+/, ''))],
    ['a statement time-out that is switched off', changed((options) => `${options} -c statement_timeout=0`)],
    ['a longer statement time-out', changed((options) => `${options} -c statement_timeout=1d`)],
    ['no idle time-out', changed((options) => options.replace(/-c idle_in_transaction_session_timeout=\d+/, ''))],
    [
      'a tenant chosen beforehand',
      changed((options) => `${options} -c app.tenant_id=00000000-0000-4000-8000-000000000000`),
    ],
  ])('%s: the connection is not used', async (_, onStartup) => {
    const open = database.open({ url: await relay({ onStartup }) });
    await expect(open.forSystem((tx) => tx.query({ text: 'select 1' }))).rejects.toMatchObject({
      code: 'overloaded',
      cause: { message: expect.stringContaining('does not have the role strongroom_app and the timeouts') },
    });
    expect(open.usage.open).toBe(0);
  });

  it('a connection with nothing changed is used, for one more statement when it is opened', async () => {
    const open = database.open({ url: await relay({ onStartup: () => undefined }) });
    expect(await open.forSystem((tx) => tx.query({ text: 'select 1 as one' }))).toEqual([{ one: 1 }]);
  });

  it('is refused when it appears while the vault serves: requests fail, readiness is red, and neither outlasts it', async () => {
    let isDropping = false;
    const url = await relay({ onStartup: (parameters) => void (isDropping && parameters.delete('options')) });
    const own = openTestDatabase(url);
    const vault = await TestVault.start(parsedRootKey, { database: own });
    try {
      const tenant = await vault.makeTenant();
      const read = async () => (await vault.request('GET', '/tokens', { key: tenant.keys.private })).status;
      const ready = async () => (await vault.request('GET', '/readyz', { url: vault.server.adminUrl })).status;
      expect([await read(), await ready()]).toEqual([200, 200]);
      isDropping = true;
      await database.owner.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like 'strongroom%'`);
      await untilTrue(async () => (await ready()) === 503, { waitingFor: 'readiness to be red' });
      expect(await read()).toBe(503);
      isDropping = false;
      await untilTrue(async () => (await ready()) === 200, { waitingFor: 'readiness to be green' });
      expect(await read()).toBe(200);
    } finally {
      await vault.stop();
    }
  });
});

describe('a connection on which notifications do not arrive', () => {
  const deaf = { passes: (type: string) => type !== 'A' };

  it('is not believed: a key is refused at once after its application was deleted elsewhere', async () => {
    const direct = await TestVault.start(parsedRootKey, { database: openTestDatabase(database.url) });
    const vault = await TestVault.start(parsedRootKey, { database: openTestDatabase(await relay(deaf)) });
    try {
      const tenant = await direct.makeTenant();
      const made = await direct.request('POST', '/applications', {
        key: tenant.keys.management,
        body: { name: 'leaving', type: 'private', permissions: ['token:read'] },
      });
      const { id, key } = made.body as { id: string; key: string };
      const read = async () => (await vault.request('GET', '/tokens', { key })).status;
      expect([await read(), await read()]).toEqual([200, 200]);
      expect((await direct.request('DELETE', `/applications/${id}`, { key: tenant.keys.management })).status).toBe(204);
      expect(await read()).toBe(401);
    } finally {
      await vault.stop();
      await direct.stop();
    }
  });

  it('makes readiness red', async () => {
    const vault = await TestVault.start(parsedRootKey, { database: openTestDatabase(await relay(deaf)) });
    try {
      const { status, body } = await vault.request('GET', '/readyz?verbose', { url: vault.server.adminUrl });
      expect({ status, body }).toMatchObject({
        status: 503,
        body: { checks: expect.arrayContaining([{ name: 'change feed', status: 'unavailable' }]) },
      });
    } finally {
      await vault.stop();
    }
  });

  it('is never current for the change feed, and is for one that hears', async () => {
    const feeds = [new ChangeFeed(await relay(deaf), ''), new ChangeFeed(database.url, '')] as const;
    await Promise.all(feeds.map((feed) => feed.start()));
    expect(feeds.map((feed) => feed.isCurrent)).toEqual([false, true]);
    await Promise.all(feeds.map((feed) => feed.stop()));
    expect(feeds.map((feed) => feed.isCurrent)).toEqual([false, false]);
  });

  it('does not count as connected for the keys of card verification codes', async () => {
    const connected: string[] = [];
    const channels = [
      new EpochChannel(await relay(deaf), {
        onConnected: () => void connected.push('deaf'),
        onPayload: () => undefined,
      }),
      new EpochChannel(database.url, { onConnected: () => void connected.push('hearing'), onPayload: () => undefined }),
    ];
    await Promise.all(channels.map((channel) => channel.start()));
    await Promise.all(channels.map((channel) => channel.stop()));
    expect(connected).toEqual(['hearing']);
  });

  it('tells nobody of heartbeats', async () => {
    const heard: string[] = [];
    const feed = new ChangeFeed(database.url, '');
    feed.onChange((table) => void heard.push(table));
    await feed.start();
    await database.owner.query(`select pg_notify('strongroom_changes', 'tenants 1')`);
    await untilTrue(() => heard.length > 0, { waitingFor: 'the change' });
    expect(heard).toEqual(['tenants']);
    await feed.stop();
  });
});

describe('a connection whose statements never complete', () => {
  it.each([
    ['LISTEN', 'listen strongroom_changes'],
    ['the heartbeat', 'pg_notify'],
    ['the check of the session', 'pg_backend_pid'],
  ])('leaves nothing open when %s is late again and again', async (_, text) => {
    let isLate = false;
    const url = await relay({ silences: (sent) => isLate && sent.includes(text) });
    const feed = new ChangeFeed(url, 'late');
    await feed.start();
    expect(await listening('strongroom changes late')).toBe(1);
    isLate = true;
    await database.owner.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'strongroom changes late%'`);
    const seen = new Set<number>();
    await untilTrue(
      async () => {
        const { rows } = await database.owner.query<{ pid: number }>(
          `select pid from pg_stat_activity where datname = current_database() and application_name like 'strongroom changes late%'`,
        );
        for (const { pid } of rows) seen.add(pid);
        return seen.size >= 4;
      },
      { waitingFor: 'four connections in turn' },
    );
    await feed.stop();
    await untilTrue(async () => (await listening('strongroom changes late')) === 0, {
      waitingFor: 'every connection to be closed',
    });
  });
});

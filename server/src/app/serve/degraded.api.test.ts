import { afterEach, describe, expect, it } from 'vitest';
import { untilPasses, untilTrue } from '../../../test/harness/deadline.ts';
import { LocalRedis } from '../../../test/harness/local-redis.ts';
import { TestVault } from '../../../test/harness/test-vault.ts';
import { parsePeerRange } from '../../core/network/peer-address.ts';
import { findFreePort } from '../../platform/local-postgres/free-port.ts';
import { ownLimits, withLimits } from '../../platform/rate-limit/rate-limit-table.ts';
import { examine } from '../doctor/examination.ts';
import { examineRejections } from '../doctor/rejection-check.ts';

const vaults: TestVault[] = [];
afterEach(async () => {
  for (const vault of vaults.splice(0)) await vault.stop();
});

async function start(limits: Parameters<typeof TestVault.start>[1] = {}): Promise<TestVault> {
  const vault = await TestVault.start(undefined, limits);
  vaults.push(vault);
  return vault;
}

const readiness = (vault: TestVault) => vault.request('GET', '/readyz?verbose', { url: vault.server.adminUrl });
const degradedNames = async (vault: TestVault) =>
  ((await readiness(vault)).body as { degraded: { name: string }[] }).degraded.map(({ name }) => name);
const lineWith = (vault: TestVault, text: string) => vault.logLines.find((line) => line.includes(text));
const untilLogged = (vault: TestVault, text: string) =>
  untilTrue(() => lineWith(vault, text) !== undefined, { waitingFor: `a line about "${text}"` });
const body = { type: 'token', data: 'x' };

describe('a database that is read-only', () => {
  it('is not ready, fails in doctor, is one line in the log, and refuses changes until it is writable', async () => {
    const vault = await start();
    const { keys } = await vault.makeTenant();
    const setReadOnly = async (isReadOnly: boolean) => {
      const change = isReadOnly ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only';
      await vault.database.owner.query(
        `begin read write; do $$ begin execute format('alter database %I ${change}', current_database()); end $$; commit`,
      );
      // Sessions keep the setting with which they began.
      await vault.database.owner.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`);
    };
    await setReadOnly(true);
    await untilPasses(async () =>
      expect(await readiness(vault)).toMatchObject({
        status: 503,
        body: { checks: expect.arrayContaining([{ name: 'writable database', status: 'unavailable' }]) },
      }),
    );
    expect(await vault.request('POST', '/tokens', { key: keys.private, body })).toMatchObject({
      status: 503,
      body: { detail: expect.stringContaining('The database is read-only') },
    });
    expect((await examine(vault.config)).find(({ name }) => name === 'writable')).toMatchObject({
      isOk: false,
      remedy: expect.stringContaining('docs/runbooks/database-down.md'),
    });
    await untilLogged(vault, 'database read-only');
    expect(await degradedNames(vault)).toContain('writable');

    await setReadOnly(false);
    await untilPasses(async () =>
      expect((await vault.request('POST', '/tokens', { key: keys.private, body })).status).toBe(201),
    );
    await untilLogged(vault, 'database writable again');
    expect(vault.logLines.filter((line) => line.includes('database read-only'))).toHaveLength(1);
    expect((await readiness(vault)).status).toBe(200);
  });
});

describe('a Redis that is unreachable', () => {
  it('is one line in the log and degraded until it is back, while the server stays ready', async () => {
    const port = await findFreePort();
    const vault = await start({ limits: { redisUrl: `redis://127.0.0.1:${port}` } });
    await untilLogged(vault, 'Redis unreachable');
    expect(lineWith(vault, 'Redis unreachable')).toMatch(/connection refused.*STRONGROOM_REDIS_URL/);
    expect((await readiness(vault)).status).toBe(200);
    expect(await degradedNames(vault)).toContain('Redis');

    const redis = await LocalRedis.start(port);
    await untilLogged(vault, 'Redis back');
    expect(await degradedNames(vault)).not.toContain('Redis');
    expect(vault.logLines.filter((line) => line.includes('Redis unreachable'))).toHaveLength(1);
    await redis.stop();
  });
});

describe('a client that reaches a limit', () => {
  const table = withLimits({ 'token-write': 2 });

  it('is named in the log, in health and in doctor, with the setting that raises the limit', async () => {
    const vault = await start({ limits: { table } });
    const { keys } = await vault.makeTenant();
    const address = new URL(vault.server.adminUrl);
    const server = { host: address.hostname, port: Number(address.port) };
    expect(await examineRejections(server)).toBeUndefined();
    const create = async () => (await vault.request('POST', '/tokens', { key: keys.private, body })).status;
    expect([await create(), await create(), await create(), await create()]).toEqual([201, 201, 429, 429]);

    const lines = vault.logLines.filter((line) => line.includes('rate limit reached'));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        message: 'rate limit reached',
        limit: 'token-write',
        client: '127.0.0.1',
        count: 2,
        seconds: 10,
        advice: expect.stringMatching(/STRONGROOM_OWN_NETWORKS.*token-write in STRONGROOM_RATE_LIMITS/),
      },
    ]);
    expect(await examineRejections(server)).toMatchObject({
      isWarning: true,
      detail: 'in the last 15 minutes, 127.0.0.1 reached token-write (2 in 10 s), 2 requests rejected',
      remedy: expect.stringContaining('STRONGROOM_OWN_NETWORKS'),
    });
  });

  it('has a higher limit in a network of the operator, and is told which setting raises that one', async () => {
    const range = parsePeerRange('127.0.0.0/8');
    const ownNetworks = range === undefined ? [] : [range];
    const vault = await start({ limits: { table, ownTable: ownLimits(table, { 'token-write': 4 }), ownNetworks } });
    const { keys } = await vault.makeTenant();
    const statuses: number[] = [];
    for (let index = 0; index < 5; index += 1) {
      statuses.push((await vault.request('POST', '/tokens', { key: keys.private, body })).status);
    }
    expect(statuses).toEqual([201, 201, 201, 201, 429]);
    expect(lineWith(vault, 'rate limit reached')).toContain('set token-write in STRONGROOM_OWN_RATE_LIMITS');
  });
});

describe('the limits of own networks', () => {
  it('are ten times the others, except for guesses and mails', () => {
    const own = ownLimits(withLimits({}));
    expect([own['token-write'].limit, own.global.limit]).toEqual([2_000, 10_000]);
    expect([own['key-guessing'].limit, own.mail.limit]).toEqual([100, 50]);
    expect(ownLimits(withLimits({ 'token-write': 300 }))['token-write'].limit).toBe(3_000);
  });
});

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VaultWorker } from '../../src/app/serve/vault-worker.ts';
import { defaultThresholds } from '../../src/platform/audit/watch/alert-rule.ts';
import { FileRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { withLimits } from '../../src/platform/rate-limit/rate-limit-table.ts';
import { queueNow } from '../harness/queued-jobs.ts';
import { untilPasses, untilTrue } from '../harness/deadline.ts';
import { LocalRedis } from '../harness/local-redis.ts';
import { TestAuthority } from '../harness/test-authority.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

// The server and the worker expose the metrics that docs/metrics.md describes, and their values change.

type Process = 'server' | 'worker';
interface Described {
  readonly type: string;
  readonly labels: readonly string[];
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
let redis: LocalRedis;
let authority: TestAuthority;
let vault: TestVault;
let worker: VaultWorker;
let tenant: TestTenant;

beforeAll(async () => {
  // This Redis is not shared, so requests of other tests are not counted.
  redis = await LocalRedis.start();
  const table = withLimits({ 'token-search': 1 });
  authority = await TestAuthority.create();
  const ownKey = { kind: 'file', open: async () => new FileRootKey(randomBytes(32)) };
  vault = await TestVault.start(undefined, {
    limits: { table, redisUrl: redis.url },
    ownRootKeys: { keys: new Map([['acme', ownKey]]), graceSeconds: 10 },
    outbound: { authorities: authority.certificate },
  });
  worker = await VaultWorker.start(
    {
      ...vault.config,
      // Its folder does not exist, so it always fails.
      logStreams: [
        {
          name: 'copy',
          kind: 'file',
          format: 'record',
          start: 'oldest',
          tenants: undefined,
          path: path.join(tmpdir(), 'strongroom-no-such-folder', 'audit.ndjson'),
          rotateBytes: 1_000_000,
          filesMax: 1,
        },
      ],
      audit: {
        retentionMonths: 13,
        anchorFile: undefined,
        anchorUrl: undefined,
        backupDays: undefined,
        // A month waits for it, because nothing is ever archived there.
        archive: { folder: path.join(tmpdir(), 'strongroom-no-such-folder') },
        evidenceMonths: undefined,
        alerts: { ...defaultThresholds, misses: 1 },
      },
      admin: { host: '127.0.0.1', port: 0 },
      mail: { publicUrl: undefined, smtp: undefined },
      traces: undefined,
      outbound: vault.outbound,
    },
    silent,
  );
  tenant = await vault.makeTenant();
  await vault.database.owner.query(
    `create table audit_records_2020_01 partition of audit_records for values from ('2020-01-01 00:00Z') to ('2020-02-01 00:00Z')`,
  );
  await useOwnRootKey();
  await untilPasses(async () => expect(await read('server', 'strongroom_rate_limits_shared')).toBe(1));
  await causeEverything();
});
afterAll(async () => {
  await worker.stop();
  await vault.stop();
  await redis.stop();
  await authority.remove();
});

/** Causes at least one sample of every metric that counts something. */
async function causeEverything(): Promise<void> {
  const { private: key, public: publicKey } = tenant.keys;
  const send = (method: string, target: string, body?: object, own = key) =>
    vault.request(method, target, { key: own, ...(body === undefined ? {} : { body }) });
  const { id } = (await send('POST', '/tokens', { type: 'token', data: 'stored' })).body as { id: string };
  await send('POST', '/tokenize', [{ type: 'token', data: 'stored' }]);
  expect((await send('GET', `/tokens/${id}`)).status).toBe(200);
  expect((await send('GET', '/tokens/none')).status).toBe(404);
  expect((await send('GET', `/tokens/${id}`, undefined, publicKey)).status).toBe(403);
  expect((await send('GET', `/tokens/${id}`, undefined, `${key}x`)).status).toBe(401);
  const search = async () => (await send('POST', '/tokens/search', { query: 'data:stored' })).status;
  expect([await search(), await search()]).toEqual([200, 429]);
  const proxied = { 'bt-proxy-url': 'https://127.0.0.1' };
  expect((await vault.request('GET', '/proxy', { key, headers: proxied })).status).toBe(400);
  // Any worker takes the first job immediately. The second is only taken by a worker with a mail server.
  await queueNow(vault.database.owner, 'sweep-sessions');
  await vault.database.owner.query(`select enqueue_job('mail-invitation', '{}', 'mail-invitation:1', -3600)`);
}

/** Makes the server load the keys of a tenant that has a root key of its own. */
async function useOwnRootKey(): Promise<void> {
  const { keys } = await vault.makeTenant('test', 'acme');
  const body = { type: 'token', data: 'stored' };
  expect((await vault.request('POST', '/tokens', { key: keys.private, body })).status).toBe(201);
}

const urlOf = (process: Process) => (process === 'server' ? vault.server.adminUrl : worker.adminUrl);
const scrape = async (process: Process) => (await vault.request('GET', '/metrics', { url: urlOf(process) })).text;

describe('docs/metrics.md', () => {
  it.each(['server', 'worker'] as const)('lists every metric of a %s, and no other', async (process) => {
    const page = describedFor(process, await readPage());
    const live = liveIn(await scrape(process));
    const ours = ([name]: readonly [string, Described]) => name.startsWith('strongroom_');
    expect(
      [...page]
        .filter(ours)
        .map(([name]) => name)
        .toSorted(),
    ).toEqual(
      [...live]
        .filter(ours)
        .map(([name]) => name)
        .toSorted(),
    );
    for (const [name, { type }] of page) expect({ name, type: live.get(name)?.type }).toEqual({ name, type });
  });

  it.each(['server', 'worker'] as const)('names the labels of a %s', async (process) => {
    const page = describedFor(process, await readPage());
    await untilPasses(async () => {
      const live = liveIn(await scrape(process));
      const labels = (of: ReadonlyMap<string, Described>) =>
        Object.fromEntries([...page.keys()].toSorted().map((name) => [name, of.get(name)?.labels]));
      expect(labels(live)).toEqual(labels(page));
    });
  });
});

describe('the metrics', () => {
  it.each([
    ['server', 'strongroom_http_problems_total{code="forbidden"}', 1],
    ['server', 'strongroom_http_problems_total{code="unauthenticated"}', 1],
    ['server', 'strongroom_rate_limit_refusals_total{limit="token-search"}', 1],
    ['server', 'strongroom_rate_limit_clients{limit="token-search"}', 1],
    ['server', 'strongroom_database_connections_max{pool="vault"}', 8],
    ['server', 'strongroom_batch_items_count{batch="token-create"}', 2],
    ['server', 'strongroom_batch_items_count{batch="token-group"}', 1],
    ['server', 'strongroom_batch_items_sum{batch="token-read"}', 2],
    ['server', 'strongroom_batch_items_waiting{batch="token-create"}', 0],
    ['server', 'strongroom_cache_entries{cache="tenant-keys"}', 1],
    ['server', 'strongroom_cache_reads_total{cache="tenant-keys",outcome="failed"}', 0],
    ['worker', 'strongroom_database_connections_max{pool="sealer"}', 2],
    ['worker', 'strongroom_job_lag_seconds{task="sweep-sessions"}', 0],
    ['worker', 'strongroom_job_interval_seconds{task="sweep-sessions"}', 900],
    ['worker', 'strongroom_job_runs_total{task="sweep-sessions",outcome="failed"}', 0],
    ['worker', 'strongroom_audit_alerts_total{rule="reveals"}', 0],
    ['worker', 'strongroom_audit_anchor_lag_seconds', 0],
    ['server', 'strongroom_http_problems_total{code="internal-error"}', 0],
  ] as const)('of a %s: %s is %i', async (process, series, value) => {
    await untilPasses(async () => expect(await read(process, series)).toBe(value));
  });

  it('count what a cache loads', async () => {
    // There are two loads if the notification about the new key arrives after the first load.
    const series = 'strongroom_cache_reads_total{cache="tenant-keys",outcome="load"}';
    expect(await read('server', series)).toBeGreaterThanOrEqual(1);
  });

  it('count the runs of a job', async () => {
    const series = 'strongroom_job_runs_total{task="sweep-sessions",outcome="done"}';
    await untilPasses(async () => expect(await read('worker', series)).toBeGreaterThanOrEqual(1));
  });

  it('tell for how long a job has waited for a worker that takes it', async () => {
    expect(await read('worker', 'strongroom_job_lag_seconds{task="mail-invitation"}')).toBeGreaterThanOrEqual(3_600);
  });

  it('tell how late the log was sealed, and what was denied in it', async () => {
    const { rows } = await vault.database.owner.query<{ id: string }>(
      `select id from applications where tenant_id = $1 and type = 'public'`,
      [tenant.id],
    );
    const denied = `strongroom_audit_watched_total{application="${rows[0]?.id}",kind="denied"}`;
    await untilTrue(async () => (await read('worker', denied)) === 1, {
      waitingFor: 'the denied attempt to be counted',
    });
    expect(await read('worker', 'strongroom_audit_seal_lag_seconds_count')).toBeGreaterThan(0);
  });
});

async function read(process: Process, series: string): Promise<number | undefined> {
  const line = (await scrape(process)).split('\n').find((it) => it.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

async function readPage(): Promise<string> {
  return readFile(path.resolve(import.meta.dirname, '../../../docs/metrics.md'), 'utf8');
}

/** Parses the rows of the page: | `name` | type | labels | process | … */
function describedFor(process: Process, page: string): ReadonlyMap<string, Described> {
  const rows = page.matchAll(/^\| `(\w+)` *\| (\w+) *\| ([\w, ]*?) *\| (server|worker|both) *\|/gm);
  return new Map(
    [...rows]
      .filter(([, , , , of = '']) => of === process || of === 'both')
      .map(([, name = '', type = '', labels = '']) => [
        name,
        { type, labels: labels.split(', ').filter(Boolean).toSorted() },
      ]),
  );
}

/** Returns the families of a scrape with the labels of their samples. */
function liveIn(text: string): ReadonlyMap<string, Described> {
  const families = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => {
    const samples = text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?(?:\\{([^}]*)\\})? `, 'gm'));
    const labels = [...samples].flatMap(([, list = '']) =>
      [...list.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
    );
    return [name, { type, labels: [...new Set(labels)].filter((label) => label !== 'le').toSorted() }] as const;
  });
  return new Map(families);
}

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createDashboard } from '../../../deploy/monitoring/grafana/dashboard.ts';
import { queueNow } from '../harness/queued-jobs.ts';
import { metricsIn, monitoringFolder, readKnownMetrics, readRunbookCommands } from '../harness/alert-rules.ts';
import { untilPasses } from '../harness/deadline.ts';
import { LocalExporter } from '../harness/local-exporter.ts';
import { LocalPrometheus } from '../harness/local-prometheus.ts';
import { MonitoredVault } from '../harness/monitored-vault.ts';
import { Program } from '../harness/program.ts';
import { TestAuthority } from '../harness/test-authority.ts';
import { TokenLoad } from '../harness/token-load.ts';

/*
 * Checks the dashboard of deploy/monitoring. `SHIP=all` (npm run test:ship) also runs every query on a real Prometheus
 * that has scraped a vault with traffic, PostgreSQL and the machine.
 */
const run = promisify(execFile);
const isWhole = process.env['SHIP'] === 'all';
const factor = 15;

interface PanelJson {
  readonly type: string;
  readonly id: number;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: unknown;
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly { readonly expr: string }[];
}

const dashboard = JSON.parse(JSON.stringify(createDashboard())) as { uid: string; panels: PanelJson[] };
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const));

/** Panels without data for a vault on one machine. */
const unanswered: ReadonlyMap<string, string> = new Map([
  ['Standbys behind the primary', 'needs a standby of PostgreSQL'],
]);

describe('the dashboard', () => {
  it('is what its source says: npm run dashboard writes it', async () => {
    const file = await readFile(path.join(monitoringFolder, 'grafana/strongroom.json'), 'utf8');
    expect(JSON.parse(file)).toEqual(dashboard);
  });

  it('names no data source, explains every panel and gives every number a unit', async () => {
    const text = JSON.stringify(dashboard);
    expect(new Set([...text.matchAll(/"uid":"([^"]+)"/g)].map(([, uid]) => uid))).toEqual(
      new Set(['strongroom', '${source}']),
    );
    for (const { title, description, datasource, fieldConfig } of panels) {
      expect({ title, description, datasource, unit: fieldConfig?.defaults.unit }).toEqual({
        title,
        description: expect.stringMatching(/^.{10,}\.$/),
        datasource: { type: 'prometheus', uid: '${source}' },
        unit: expect.any(String),
      });
    }
  });

  it('has no two panels of the same name or number', () => {
    for (const values of [panels.map(({ title }) => title), dashboard.panels.map(({ id }) => id)]) {
      expect(values.length).toBe(new Set<unknown>(values).size);
    }
  });

  it('asks for metrics that the vault has', async () => {
    const known = await readKnownMetrics();
    expect(queries.flatMap(([, query]) => metricsIn(query)).filter((name) => !known.has(name))).toEqual([]);
  });

  it('shows every metric of the vault', async () => {
    const recorded = await readFile(path.join(monitoringFolder, 'rules/recording.yaml'), 'utf8');
    const shown = new Set([...queries.flatMap(([, query]) => metricsIn(query)), ...metricsIn(recorded)]);
    const hidden = [...(await readKnownMetrics())].filter((name) => !shown.has(name));
    expect(hidden).toEqual(['strongroom_run_ok', 'strongroom_run_ended_timestamp_seconds']);
  });
});

describe.runIf(isWhole)('a Prometheus that watches a vault with traffic', () => {
  let vault: MonitoredVault;
  let prometheus: LocalPrometheus;
  let load: TokenLoad;
  let folder: string;
  let authority: TestAuthority;
  const exporters: LocalExporter[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'strongroom-dashboard-'));
    authority = await TestAuthority.create();
    vault = await MonitoredVault.start({
      STRONGROOM_PROXY_CA: authority.certificate,
      STRONGROOM_RATE_LIMITS: 'global=1000000,token-write=1000000,token-list=1000000,token-search=1',
      STRONGROOM_ALERT_MISSES: '1',
      STRONGROOM_AUDIT_ANCHOR_FILE: path.join(folder, 'anchor.ndjson'),
    });
    await run(path.join(monitoringFolder, 'record-run'), ['backup', 'true'], {
      env: { PATH: process.env['PATH'], TEXTFILE_DIRECTORY: folder },
    });
    exporters.push(
      await LocalExporter.startForNode([`--collector.textfile.directory=${folder}`]),
      await LocalExporter.startForPostgres(inject('postgresUrl')),
    );
    const [node, postgres] = exporters.map(({ address }) => [address]);
    prometheus = await LocalPrometheus.start({
      factor,
      targets: {
        'strongroom-serve': [vault.addresses.serve],
        'strongroom-work': [vault.addresses.work],
        'strongroom-node': node ?? [],
        'strongroom-postgres': postgres ?? [],
      },
    });
    load = await TokenLoad.create(() => vault.url, vault.managementKey);
    load.start(4, { pauseMs: 20 });
  });
  afterAll(async () => {
    await load.stop();
    await prometheus.stop();
    await Promise.all(exporters.map((exporter) => exporter.stop()));
    await vault.end();
    await Program.killAll();
    await authority.remove();
    await rm(folder, { recursive: true });
  });

  /**
   * Sends the kinds of requests that the load does not: searches, proxied calls, and requests that are denied or find
   * nothing.
   */
  async function causeEverything(key: string, publicKey: string): Promise<void> {
    const created = await vault.request('POST', '/tokens', { key, body: { type: 'token', data: 'stored' } });
    const { id } = (await created.json()) as { id: string };
    await vault.request('POST', '/tokens/search', { key, body: { query: 'data:stored' } });
    await vault.request('GET', '/tokens/none', { key });
    await vault.request('GET', `/tokens/${id}`, { key: publicKey });
    await vault.request('GET', '/proxy', { key, headers: { 'bt-proxy-url': 'https://127.0.0.1' } });
    await vault.request('POST', '/tokenize', { key, body: [{ type: 'token', data: 'stored' }] });
    await queueNow(vault.database.owner, 'sweep-sessions');
  }

  it('answers every query of the dashboard', { timeout: 600_000 }, async () => {
    const permissions = ['token:create', 'token:read', 'token:search', 'token:use'];
    const key = await vault.createKey({ type: 'private', permissions });
    const publicKey = await vault.createKey({ type: 'public', permissions: ['token:create'] });
    const counted = new Map<string, number>();
    await untilPasses(async () => {
      await causeEverything(key, publicKey);
      for (const [title, query] of queries) {
        if (unanswered.has(title)) continue;
        const samples = await prometheus.query(withVariables(query));
        counted.set(query, samples.filter(({ value }) => value[1] !== 'NaN').length);
      }
      const empty = queries.filter(([, query]) => counted.get(query) === 0);
      expect(empty).toEqual([]);
    });
    expect(await prometheus.failedRules()).toEqual([]);
    expect(load.failures).toEqual([]);
    process.stdout.write(`${counted.size} queries: ${[...counted.values()].reduce((a, b) => a + b, 0)} series\n`);
  });

  it('understands every query of the runbooks, and PostgreSQL every statement', async () => {
    const commands = await readRunbookCommands();
    const asked = [...commands.matchAll(/promtool query instant http:\/\/localhost:9090 '([^']+)'/g)];
    expect(asked.length).toBeGreaterThan(30);
    for (const [, query = ''] of asked) await prometheus.query(query);
    const statements = [...commands.matchAll(/psql -c (?:"([^"]+)"|'([^'\\]+)')/g)].map(([, a, b]) => a ?? b ?? '');
    expect(statements.length).toBeGreaterThan(10);
    for (const statement of statements) {
      expect(statement).toMatch(/^select /);
      await vault.database.owner.query(statement);
    }
  });

  it('has no answer for exactly those that are listed', async () => {
    for (const [title, query] of queries) {
      if (unanswered.has(title)) expect(await prometheus.query(withVariables(query))).toEqual([]);
    }
  });
});

/** Replaces the variables as Grafana does, with all jobs and instances selected. */
function withVariables(query: string): string {
  return query.replaceAll('$__rate_interval', '10s').replaceAll('$job', '.+').replaceAll('$instance', '.+');
}

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  metricsIn,
  monitoringFolder,
  readKnownMetrics,
  readRuleFiles,
  readRunbookCommands,
  type Rule,
  speedUp,
} from '../harness/alert-rules.ts';

// Checks the alert rules of deploy/monitoring as Prometheus parses them, their tests, and their runbooks.

const run = promisify(execFile);
const docs = path.resolve(monitoringFolder, '../../docs');

interface AlertCase {
  readonly alertname: string;
  readonly exp_alerts: readonly unknown[];
}

type Alert = Rule & { readonly alert: string };

let alerts: readonly Alert[];
let rules: readonly Rule[];
beforeAll(async () => {
  rules = (await readRuleFiles()).flatMap(({ groups }) => groups.flatMap((group) => group.rules));
  alerts = rules.filter((rule): rule is Alert => rule.alert !== undefined);
});

async function filesIn(folder: string, ending: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith(ending)).map((name) => path.join(folder, name));
}

describe('the rules', () => {
  it('are accepted by Prometheus, and so is its configuration', async () => {
    const { stdout } = await run('promtool', ['check', 'config', path.join(monitoringFolder, 'prometheus.yaml')]);
    expect(stdout).toContain('SUCCESS');
    expect(stdout).toContain(`${(await readRuleFiles()).length} rule files found`);
  });

  it('fire when they should, and not otherwise', async () => {
    const tests = await filesIn(path.join(monitoringFolder, 'tests'), '.yaml');
    expect(tests.length).toBeGreaterThan(0);
    await run('promtool', ['test', 'rules', ...tests]);
  });

  it('have a test that fires and one that does not, each', async () => {
    const tests = await Promise.all(
      (await filesIn(path.join(monitoringFolder, 'tests'), '.yaml')).map(
        async (file) => parse(await readFile(file, 'utf8')) as { tests: { alert_rule_test: AlertCase[] }[] },
      ),
    );
    const cases = tests.flatMap((file) => file.tests.flatMap((test) => test.alert_rule_test));
    const without = (isWanted: (of: AlertCase) => boolean) =>
      alerts.map(({ alert }) => alert).filter((name) => !cases.some((it) => it.alertname === name && isWanted(it)));
    expect(without((it) => it.exp_alerts.length > 0)).toEqual([]);
    expect(without((it) => it.exp_alerts.length === 0)).toEqual([]);
    const known = new Set(alerts.map(({ alert }) => alert));
    expect(cases.filter(({ alertname }) => !known.has(alertname))).toEqual([]);
  });

  it('ask for metrics that the vault has', async () => {
    const known = await readKnownMetrics();
    const asked = rules.flatMap(({ expr }) => metricsIn(expr));
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter((name) => !known.has(name))).toEqual([]);
  });

  it('have names of their own', () => {
    const names = rules.map(({ alert, record }) => alert ?? record);
    expect(names).toEqual([...new Set(names)]);
  });

  it('can be sped up for tests', () => {
    const rule = { expr: 'rate(a[5m]) > max_over_time(b[1d:5m])', for: '2m' };
    expect(speedUp(rule, 30)).toEqual({
      expr: 'rate(a[10000ms]) > max_over_time(b[2880000ms:10000ms])',
      for: '4000ms',
    });
    for (const { expr } of rules) expect(expr).not.toMatch(/\boffset\b|@/);
  });
});

describe('an alert', () => {
  it('says how urgent it is, what happened, and where to read on', () => {
    for (const { alert, labels, annotations } of alerts) {
      expect({ alert, severity: labels?.['severity'] }).toEqual({
        alert,
        severity: expect.stringMatching(/^(critical|warning|info)$/),
      });
      expect(annotations).toEqual({
        summary: expect.stringMatching(/^.{10,100}$/),
        description: expect.stringMatching(/^.{20,}\.$/),
        runbook_url: `docs/runbooks/${pageOf(alert)}`,
      });
    }
  });

  it('has its runbook, and every runbook its alert', async () => {
    const pages = (await readdir(path.join(docs, 'runbooks'))).filter((name) => name !== 'README.md');
    expect(pages.toSorted()).toEqual(alerts.map(({ alert }) => pageOf(alert)).toSorted());
    for (const { alert } of alerts) {
      const page = await readFile(path.join(docs, 'runbooks', pageOf(alert)), 'utf8');
      expect(page).toMatch(/^# .{10,80}\n/);
      for (const part of [
        `Alert \`${alert}\`. **`,
        '**What users notice:**',
        '## What to look at',
        '```bash',
        '## What to do',
        '## When it is over',
      ]) {
        expect({ alert, has: page.includes(part) ? part : 'missing' }).toEqual({ alert, has: part });
      }
    }
  });

  it('has a runbook whose queries ask for metrics that the vault has', async () => {
    const known = await readKnownMetrics();
    const asked = metricsIn(await readRunbookCommands());
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter((name) => !known.has(name))).toEqual([]);
  });

  it('is listed in docs/monitoring.md', async () => {
    const page = await readFile(path.join(docs, 'monitoring.md'), 'utf8');
    const rows = [...page.matchAll(/^\| \[(\w+)\]\(runbooks\/([\w-]+\.md)\) *\| (\w+) /gm)];
    const listed = rows.map(([, alert, file, severity]) => ({ alert, file, severity }));
    const byName = (a: { alert?: string | undefined }, b: { alert?: string | undefined }) =>
      (a.alert ?? '').localeCompare(b.alert ?? '');
    expect(listed.toSorted(byName)).toEqual(
      alerts
        .map(({ alert, labels }) => ({ alert, file: pageOf(alert), severity: labels?.['severity'] }))
        .toSorted(byName),
    );
  });
});

describe('record-run', () => {
  const script = path.join(monitoringFolder, 'record-run');

  it('records how a run ended, and keeps the time of the last success', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-runs-'));
    const record = (...command: string[]) =>
      run(script, ['backup', ...command], { env: { PATH: process.env['PATH'], TEXTFILE_DIRECTORY: folder } }).then(
        () => 0,
        (error: unknown) => (error as { code: number }).code,
      );
    const read = async () =>
      Object.fromEntries(
        [
          ...(await readFile(path.join(folder, 'strongroom-backup.prom'), 'utf8')).matchAll(
            /^(\w+)\{run="backup"\} (\d+)$/gm,
          ),
        ].map(([, name = '', value]) => [name.replace('strongroom_run_', ''), Number(value)]),
      );
    expect(await record('false')).toBe(1);
    expect(await read()).toEqual({ ok: 0, ended_timestamp_seconds: expect.any(Number) });
    expect(await record('true')).toBe(0);
    const success = await read();
    expect(success).toMatchObject({ ok: 1, succeeded_timestamp_seconds: success['ended_timestamp_seconds'] });
    expect(await record('sh', '-c', 'exit 7')).toBe(7);
    expect(await read()).toMatchObject({ ok: 0, succeeded_timestamp_seconds: success['succeeded_timestamp_seconds'] });
    expect(await readdir(folder)).toEqual(['strongroom-backup.prom']);
    await rm(folder, { recursive: true });
  });

  it.each([[], ['backup'], ['Back"up', 'true'], ['', 'true']])('refuses %j', async (...given) => {
    await expect(run(script, given)).rejects.toMatchObject({ code: 2 });
  });
});

/** Returns the name of an alert's runbook: `StrongroomNoWorker` → `no-worker.md`. */
function pageOf(alert: string): string {
  const words = alert.replace(/^Strongroom/, '').match(/[A-Z][a-z]+/g) ?? [];
  return `${words.join('-').toLowerCase()}.md`;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { monitoringFolder, readRuleFiles, speedUp } from './alert-rules.ts';
import { untilTrue } from './deadline.ts';

const intervalMs = 15_000;
/** The lookback period within which Prometheus accepts a sample. */
const lookbackMs = 300_000;

/** Addresses by job name in deploy/monitoring/prometheus.yaml. */
export type Targets = Readonly<Record<string, readonly string[]>>;

interface ScrapeConfig {
  readonly job_name: string;
  readonly [setting: string]: unknown;
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

/** A real Prometheus with the configuration and rules of deploy/monitoring, with all times divided by `factor`. */
export class LocalPrometheus {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #directory: string;

  static async start({
    targets,
    factor,
  }: {
    readonly targets: Targets;
    readonly factor: number;
  }): Promise<LocalPrometheus> {
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-prometheus-'));
    await writeConfig(directory, targets, factor);
    const port = await findFreePort();
    const flags = [
      `--config.file=${path.join(directory, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${path.join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      `--query.lookback-delta=${lookbackMs / factor}ms`,
    ];
    const child = spawn('prometheus', flags, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const ended = new Promise<never>((_, reject) => {
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`Prometheus stopped: ${said}`)));
    });
    // After the start, the exit of the process does not matter.
    ended.catch(() => undefined);
    const prometheus = new LocalPrometheus(`http://127.0.0.1:${port}`, child, directory);
    await Promise.race([prometheus.#untilReady(), ended]);
    return prometheus;
  }

  private constructor(url: string, process: ChildProcess, directory: string) {
    this.url = url;
    this.#process = process;
    this.#directory = directory;
  }

  async query(expression: string): Promise<readonly Sample[]> {
    const { result } = await this.#ask<{ result: readonly Sample[] }>(`query?query=${encodeURIComponent(expression)}`);
    return result;
  }

  /** Returns the names of the alerts that are firing. */
  async firing(): Promise<readonly string[]> {
    const { alerts } = await this.#ask<{ alerts: { state: string; labels: { alertname: string } }[] }>('alerts');
    const names = alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
    return [...new Set(names)].toSorted();
  }

  /** Returns the names of rules that could not be evaluated. */
  async failedRules(): Promise<readonly string[]> {
    const { groups } = await this.#ask<{ groups: { rules: { name: string; health: string }[] }[] }>('rules');
    return groups.flatMap(({ rules }) => rules.filter(({ health }) => health === 'err').map(({ name }) => name));
  }

  async stop(): Promise<void> {
    const isOver = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await isOver;
    await rm(this.#directory, { recursive: true, force: true });
  }

  #untilReady(): Promise<number> {
    const isReady = () =>
      fetch(`${this.url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    return untilTrue(isReady, { waitingFor: 'Prometheus' });
  }

  async #ask<T>(path: string): Promise<T> {
    const response = await fetch(`${this.url}/api/v1/${path}`);
    const body = (await response.json()) as { status: string; error?: string; data: T };
    if (body.status !== 'success') throw new Error(`Prometheus: ${body.error}`);
    return body.data;
  }
}

/** Writes the configuration that is shipped to operators, with other addresses and shorter times. */
async function writeConfig(directory: string, targets: Targets, factor: number): Promise<void> {
  const shipped = parse(await readFile(path.join(monitoringFolder, 'prometheus.yaml'), 'utf8')) as {
    scrape_configs: ScrapeConfig[];
  };
  const interval = `${intervalMs / factor}ms`;
  const scrapes = shipped.scrape_configs
    .filter(({ job_name }) => targets[job_name] !== undefined)
    .map(({ file_sd_configs: _files, ...scrape }) => ({
      ...scrape,
      static_configs: [{ targets: targets[scrape.job_name] }],
    }));
  const global = { scrape_interval: interval, evaluation_interval: interval, scrape_timeout: interval };
  await writeFile(path.join(directory, 'prometheus.yaml'), stringify({ ...shipped, global, scrape_configs: scrapes }));
  await mkdir(path.join(directory, 'rules'));
  for (const { name, groups } of await readRuleFiles()) {
    const faster = groups.map((group) => ({ ...group, rules: group.rules.map((rule) => speedUp(rule, factor)) }));
    await writeFile(path.join(directory, 'rules', name), stringify({ groups: faster }));
  }
}

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { LocalExporter } from '../harness/local-exporter.ts';
import { LocalPrometheus } from '../harness/local-prometheus.ts';
import { MonitoredVault } from '../harness/monitored-vault.ts';
import { Program } from '../harness/program.ts';
import { TokenLoad } from '../harness/token-load.ts';

/*
 * Runs the alert rules of deploy/monitoring, thirty times faster, in a real Prometheus that watches a real vault. Each
 * fault raises its own alert and no other. Mounting a small disk needs root.
 */
const run = promisify(execFile);
const isWhole = process.env['SHIP'] === 'all';
const factor = 30;
const diskMiB = 32;
const freeLeft = 0.06;

describe.runIf(isWhole)('alerts', () => {
  let vault: MonitoredVault;
  let prometheus: LocalPrometheus;
  let node: LocalExporter;
  let load: TokenLoad;
  let folder: string;
  let disk: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'strongroom-alerts-'));
    disk = await mountDisk(folder);
    vault = await MonitoredVault.start();
    node = await LocalExporter.startForNode();
    prometheus = await LocalPrometheus.start({
      factor,
      targets: {
        'strongroom-serve': [vault.addresses.serve],
        'strongroom-work': [vault.addresses.work],
        'strongroom-node': [node.address],
      },
    });
    load = await TokenLoad.create(() => vault.url, vault.managementKey);
    load.start(2, { pauseMs: 50 });
  });
  afterAll(async () => {
    await load.stop();
    await prometheus.stop();
    await node.stop();
    await vault.end();
    await Program.killAll();
    await run('umount', [disk]);
    await rm(folder, { recursive: true });
  });

  it('are silent while all is well', async () => {
    // Prometheus takes some seconds to find its targets, which count as minutes here.
    await untilTrue(async () => (await prometheus.query('up == 1')).length === 3, { waitingFor: 'the targets' });
    await untilSilent();
    // This takes longer than the delay of any of the alerts below.
    const seen = new Set<string>();
    await untilScrapes(60, () => lookFor(seen));
    expect([...seen]).toEqual([]);
    expect(await prometheus.failedRules()).toEqual([]);
    expect(await prometheus.query('strongroom:http_requests:rate5m > 0')).toHaveLength(1);
    expect(await prometheus.query(`node_filesystem_size_bytes{mountpoint="${disk}"}`)).toHaveLength(1);
  });

  it('tell that the worker has stopped', async () => {
    await vault.stop('work');
    expect(await firingUntil('StrongroomNoWorker')).toEqual(['StrongroomNoWorker']);
    await vault.start('work');
    await untilSilent();
  });

  it('tell that Redis is unavailable', async () => {
    await vault.stopRedis();
    expect(await firingUntil('StrongroomRedisUnavailable')).toEqual(['StrongroomRedisUnavailable']);
    await vault.startRedis();
    await untilSilent();
  });

  it('tell that a disk is nearly full', async () => {
    const { blocks, bavail, bsize } = await statfs(disk);
    const file = path.join(disk, 'table');
    await writeFile(file, Buffer.alloc((bavail - Math.round(blocks * freeLeft)) * bsize));
    expect(await firingUntil('StrongroomDiskNearlyFull')).toEqual(['StrongroomDiskNearlyFull']);
    await rm(file);
    await untilSilent();
  });

  it('tell that many requests are denied', async () => {
    const key = await vault.createKey({ type: 'public', permissions: ['token:create'] });
    const statuses = await Promise.all(
      Array.from({ length: 150 }, async () => (await vault.request('GET', '/tokens', { key })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([403]));
    expect(await firingUntil('StrongroomDeniedBurst')).toEqual(['StrongroomDeniedBurst']);
    await untilSilent();
  });

  it('were not caused by failed requests of the load', () => {
    expect(load.failures).toEqual([]);
    expect(load.done).toBeGreaterThan(100);
  });

  it('tell that the server has stopped', async () => {
    await load.stop();
    await vault.stop('serve');
    expect(await firingUntil('StrongroomNoServer')).toEqual(['StrongroomNoServer']);
    await vault.start('serve');
    await untilSilent();
  });

  /** Returns every alert that fires until the given one does, and for some evaluations after it. */
  async function firingUntil(alert: string): Promise<string[]> {
    const seen = new Set<string>();
    const startedAt = performance.now();
    await untilTrue(
      async () => {
        await lookFor(seen);
        return seen.has(alert);
      },
      { waitingFor: alert },
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    process.stdout.write(
      `${alert}: after ${seconds.toFixed(1)} s, which stand for ${((seconds * factor) / 60).toFixed(1)} minutes\n`,
    );
    await untilScrapes(4, () => lookFor(seen));
    return [...seen];
  }

  async function lookFor(seen: Set<string>): Promise<void> {
    for (const name of await prometheus.firing()) seen.add(name);
  }

  function untilSilent(): Promise<number> {
    return untilTrue(async () => (await prometheus.firing()).length === 0, { waitingFor: 'the alert to end' });
  }

  /** Waits for this many more scrapes of the machine, which no test interrupts. */
  async function untilScrapes(count: number, look: () => Promise<void>): Promise<void> {
    const read = async () => Number((await prometheus.query('timestamp(up{job="strongroom-node"})'))[0]?.value[1] ?? 0);
    const interval = 15 / factor;
    const from = await read();
    await untilTrue(
      async () => {
        await look();
        return (await read()) > from + count * interval;
      },
      { waitingFor: `${count} scrapes` },
    );
  }
});

async function mountDisk(folder: string): Promise<string> {
  const [image, disk] = [path.join(folder, 'disk.img'), path.join(folder, 'disk')];
  await run('truncate', ['--size', `${diskMiB}M`, image]);
  await run('mkfs.ext4', ['-q', '-m', '0', image]);
  await mkdir(disk);
  await run('mount', ['-o', 'loop', image, disk]);
  return disk;
}

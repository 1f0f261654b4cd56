import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleFiles, manifestName } from '../../src/app/evidence/bundle/evidence-manifest.ts';
import { verifyBundle } from '../../src/app/evidence/bundle/verify-bundle.ts';
import { keepEvidenceJob } from '../../src/app/evidence/monthly/keep-evidence-job.ts';
import { pastMonth, periodOf } from '../../src/app/evidence/monthly/past-month.ts';
import { VaultWorker } from '../../src/app/serve/vault-worker.ts';
import { Sensitive } from '../../src/core/identity/sensitive.ts';
import type { WorkerConfig } from '../../src/platform/config/config.ts';
import { jobPace } from '../../src/platform/jobs/job-runner.ts';
import type { ObjectStoreConfig } from '../../src/platform/object-storage/open-object-store.ts';
import type { LogFields, Logger } from '../../src/platform/telemetry/logger.ts';
import { untilTrue } from '../harness/deadline.ts';
import { evidenceOrder } from '../harness/evidence-order.ts';
import { ObjectStorage } from '../harness/object-storage.ts';
import { makeDue, queueNow } from '../harness/queued-jobs.ts';
import { sealAll, signerOf } from '../harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/*
 * Workers keep a bundle of evidence of each past month in the archive of the log: one, however many workers there are,
 * which verifies. A place that cannot be written to is seen and tried again, and only the newest bundles are kept.
 */
const task = 'keep-evidence';
let vault: TestVault;
let tenant: TestTenant;
let directory: string;
let archive: string;
let workers: VaultWorker[] = [];
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'strongroom-kept-'));
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  await sealAll(vault.database, signerOf(vault.server));
});
beforeEach(() => {
  archive = path.join(directory, crypto.randomUUID());
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
});
afterAll(async () => {
  await vault.stop();
  await rm(directory, { recursive: true });
});

/** Remembers what is logged about the job. */
class JobLog implements Logger {
  readonly lines: (LogFields & { readonly message: string })[] = [];
  readonly info = (message: string, fields: LogFields = {}) => this.#add(message, fields);
  readonly warn = this.info;
  readonly error = this.info;

  count(message: string): number {
    return this.lines.filter((line) => line.message === message).length;
  }

  #add(message: string, fields: LogFields): void {
    if (fields.job === task) this.lines.push({ message, ...fields });
  }
}

function toConfig(place: ObjectStoreConfig, evidenceMonths = 24): WorkerConfig {
  const { config } = evidenceOrder(vault);
  return {
    ...config,
    audit: { ...config.audit, archive: place, evidenceMonths },
    logStreams: [],
    outbound: vault.outbound,
    admin: { host: '127.0.0.1', port: 0 },
    mail: { publicUrl: undefined, smtp: undefined },
    traces: undefined,
  };
}

async function startWorker(): Promise<{ readonly worker: VaultWorker; readonly log: JobLog }> {
  const log = new JobLog();
  const worker = await VaultWorker.start(toConfig({ folder: archive }), log, {
    jobPace: { ...jobPace, pollSeconds: 0.5 },
    program: { environment: {}, version: '1.0.0' },
  });
  workers.push(worker);
  return { worker, log };
}

const queueJob = () => queueNow(vault.database.owner, task);

/** Queues the job again and again, as its schedule does, until each of the workers has run it. */
async function untilRun(logs: readonly JobLog[], message = 'job done'): Promise<void> {
  const isRun = async () => {
    await queueJob();
    return logs.every((log) => log.count(message) > 0);
  };
  await untilTrue(isRun, { waitingFor: `${message} of every worker` });
}

/** Runs the job once, in what could be a process of its own. */
async function runOnce(
  place: ObjectStoreConfig,
  { now = new Date(), kept = 24, log = new JobLog() } = {},
): Promise<void> {
  const parts = { core: vault.server.core, config: toConfig(place, kept), logger: log, now: () => now };
  await keepEvidenceJob({ ...parts, environment: {}, version: '1.0.0' }).run(null);
}

const folderOf = (month = pastMonth(new Date())) => path.join(archive, `evidence-${month}`);
const verify = (folder = folderOf()) => verifyBundle(folder, signerOf(vault.server).publicKey);
const readsOf = async () =>
  (await vault.auditRecords(tenant.id)).filter(({ details }) => details === '{"fields":["evidence"]}').length;

describe('workers', () => {
  it('write one bundle of the past month, which verifies, and none after a restart', async () => {
    const before = await readsOf();
    const [first, second] = [await startWorker(), await startWorker()];
    await untilRun([first.log, second.log]);
    const { problems, evidence, proven } = await verify();
    const { from, to } = periodOf(pastMonth(new Date()));
    expect(problems).toEqual([]);
    expect(evidence).toMatchObject({
      tenant_id: null,
      version: '1.0.0',
      period: { from: from.toISOString(), to: to.toISOString() },
    });
    expect(proven.checkpoints).toBeGreaterThan(0);
    const manifest = await readFile(path.join(folderOf(), manifestName));
    await Promise.all(workers.map((worker) => worker.stop()));

    const third = await startWorker();
    await untilRun([third.log]);
    const logs = [first.log, second.log, third.log];
    expect(logs.reduce((sum, log) => sum + log.count('evidence kept'), 0)).toBe(1);
    expect(await readFile(path.join(folderOf(), manifestName))).toEqual(manifest);
    expect(await readsOf()).toBe(before + 1);
  });

  it('try again if the archive cannot be written to, and say so in the log and a metric', async () => {
    const before = await readsOf();
    // A folder that has the name of a file lets the bundle be looked for, and not be written.
    const obstacle = path.join(folderOf(), 'evidence.schema.json');
    await mkdir(obstacle, { recursive: true });
    const { worker, log } = await startWorker();
    await untilRun([log], 'job failed');
    expect(log.lines[0]?.error).toContain(`${archive}/evidence-`);
    expect(log.lines[0]?.error).toContain('evidence.schema.json cannot be used: EISDIR');
    const metrics = await (await fetch(`${worker.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/strongroom_job_runs_total\{task="keep-evidence",outcome="failed"\} [1-9]/);
    // It is noticed before any fact is read.
    expect(await readsOf()).toBe(before);

    await rm(obstacle, { recursive: true });
    const isKept = async () => {
      await makeDue(vault.database.owner, task);
      return log.count('evidence kept') > 0;
    };
    await untilTrue(isKept, { waitingFor: 'the bundle' });
    expect((await verify()).problems).toEqual([]);
  });

  it('that write at the same time, because one was taken for dead, leave a bundle that verifies in the end', async () => {
    await Promise.allSettled([runOnce({ folder: archive }), runOnce({ folder: archive })]);
    await runOnce({ folder: archive });
    expect((await verify()).problems).toEqual([]);
  });
});

describe('a kept bundle', () => {
  it.each([
    ['was changed', (folder: string) => writeFile(path.join(folder, 'evidence.html'), 'Everything holds.')],
    ['lacks a file', (folder: string) => rm(path.join(folder, 'proofs/records.ndjson'))],
    [
      'is that of another month',
      async (folder: string) => {
        const other = new Date('2026-03-15T00:00:00Z');
        await runOnce({ folder: archive }, { now: other });
        await rm(folder, { recursive: true });
        await cp(folderOf(pastMonth(other)), folder, { recursive: true });
      },
    ],
  ])('is written again if it %s', async (_what, damage) => {
    await runOnce({ folder: archive });
    await damage(folderOf());
    const log = new JobLog();
    await runOnce({ folder: archive }, { log });
    const { problems, evidence } = await verify();
    expect([problems, evidence?.period.from]).toEqual([[], periodOf(pastMonth(new Date())).from.toISOString()]);
    expect(log.count('evidence kept')).toBe(1);
    await runOnce({ folder: archive }, { log });
    expect(log.count('evidence kept')).toBe(1);
  });

  it('goes when there are newer ones, by number and not by age, and nothing else goes', async () => {
    await mkdir(path.join(archive, '2020-01'), { recursive: true });
    await writeFile(path.join(archive, '2020-01/note'), 'of the archive');
    await runOnce({ folder: archive }, { now: new Date('2026-01-15T00:00:00Z'), kept: 2 });
    await writeFile(path.join(folderOf('2025-12'), 'note'), 'of a person');
    // A clock that is a century ahead costs one bundle.
    for (const now of ['2026-02-15', '2026-03-15', '2126-03-15'])
      await runOnce({ folder: archive }, { now: new Date(now), kept: 2 });
    expect((await readdir(archive)).toSorted()).toEqual([
      '2020-01',
      'evidence-2025-12',
      'evidence-2026-02',
      'evidence-2126-02',
    ]);
    expect(await readdir(folderOf('2025-12'))).toEqual(['note']);
  });
});

describe('a bucket', () => {
  let storage: ObjectStorage;
  beforeAll(async () => {
    storage = await ObjectStorage.start();
  });
  afterAll(() => storage.stop());

  it('has the bundles, and loses those that are not kept any more', async () => {
    const accessKey = { id: 'id', secret: new Sensitive('secret') };
    const place = { s3: { bucket: 'audit', prefix: 'eu', region: 'us-east-1', endpoint: storage.url, accessKey } };
    storage.objects.set('audit/eu/2020-01/note', Buffer.from('of the archive'));
    for (const now of ['2026-02-15', '2026-03-15', '2026-04-15']) await runOnce(place, { now: new Date(now), kept: 2 });
    const names = (month: string) => [...bundleFiles, manifestName].map((name) => `audit/eu/evidence-${month}/${name}`);
    expect([...storage.objects.keys()].toSorted()).toEqual(
      ['audit/eu/2020-01/note', ...names('2026-02'), ...names('2026-03')].toSorted(),
    );
    for (const [key, content] of storage.objects) {
      const file = path.join(archive, key);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, content);
    }
    expect((await verify(path.join(archive, 'audit/eu/evidence-2026-03'))).problems).toEqual([]);
  });
});

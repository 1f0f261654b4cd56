import { setTimeout as pause } from 'node:timers/promises';
import type { BenchProcess } from './bench-process.ts';
import type { BenchVault } from './bench-vault.ts';
import { type BareDatabase, databaseName } from './pgbench.ts';
import { postgresProcessorMs } from './postgres-processor-time.ts';
import { untilSealed } from './until-sealed.ts';
import { LockSamples } from './lock-samples.ts';
import { withClient } from './with-client.ts';
import { type Counted, type Load, runWrk } from './wrk.ts';

/** The cost of one request, or of one transaction of bare PostgreSQL. */
export interface Cost {
  readonly perSecond: number;
  /** Processor time of all processes of PostgreSQL. For the vault it includes the sealing of the records. */
  readonly postgresMs: number;
  readonly walBytes: number;
  /** Pages that were looked at, in memory or on disk. */
  readonly buffers: number;
  readonly commits: number;
  /** Processor time of the vault's servers and worker. */
  readonly vaultMs: number;
  /** The share of the time of active connections that they waited for a lock. */
  readonly lockWaitShare: number;
}

interface Counters {
  readonly postgresMs: number;
  readonly walBytes: number;
  readonly buffers: number;
  readonly commits: number;
  readonly vaultMs: number;
}

/** PostgreSQL adds the counters of an idle connection to its statistics after ten seconds at the latest. */
const statisticsDelayMs = 11_000;

export interface CostSubject {
  readonly vault: BenchVault;
  readonly worker: BenchProcess;
  readonly bare: BareDatabase;
}

export function costOfVault(subject: CostSubject, load: Load): Promise<Cost> {
  return measure(subject, 'postgres', () => runWrk(subject.vault, load));
}

export function costOfBare(subject: CostSubject, load: Load): Promise<Cost> {
  return measure(subject, databaseName, () => subject.bare.run(load));
}

/** Measures what a vault without requests costs in a second. */
export async function costOfIdling(
  subject: CostSubject,
  seconds: number,
): Promise<Pick<Cost, 'postgresMs' | 'commits'>> {
  const before = await readCounters(subject, 'postgres');
  await pause(seconds * 1_000);
  const after = await readCounters(subject, 'postgres');
  const passed = seconds + statisticsDelayMs / 1_000;
  return {
    postgresMs: (after.postgresMs - before.postgresMs) / passed,
    commits: (after.commits - before.commits) / passed,
  };
}

/** Runs a load, waits until its records are sealed, and divides what was counted by the number of requests. */
async function measure(subject: CostSubject, database: string, run: () => Promise<Counted>): Promise<Cost> {
  await untilSealed(subject.vault);
  const before = await readCounters(subject, database);
  const locks = LockSamples.start(subject.vault, database);
  const { requests, perSecond } = await run();
  const lockWaitShare = await locks.stop();
  await untilSealed(subject.vault);
  const after = await readCounters(subject, database);
  const each = (name: keyof Counters) => (after[name] - before[name]) / requests;
  return {
    perSecond,
    postgresMs: each('postgresMs'),
    walBytes: each('walBytes'),
    buffers: each('buffers'),
    commits: each('commits'),
    vaultMs: each('vaultMs'),
    lockWaitShare,
  };
}

/** Reads the times at once, and the statistics of a database when they are complete. */
async function readCounters({ vault, worker }: CostSubject, database: string): Promise<Counters> {
  const postgresMs = await postgresProcessorMs(vault.postgres);
  const vaultMs = ((await vault.cpuMicroseconds()) + (await worker.cpuMicroseconds())) / 1_000;
  // The statistics of the database are read on a connection to another one, which does not count here.
  return withClient(vault.postgres.urlOf('template1'), async (client) => {
    const wal = await client.query<{ bytes: number }>(
      `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`,
    );
    await pause(statisticsDelayMs);
    const { rows } = await client.query<{ buffers: number; commits: number }>(
      `select (blks_hit + blks_read)::float8 as buffers, xact_commit::float8 as commits
        from pg_stat_database where datname = $1`,
      [database],
    );
    const { buffers, commits } = rows[0] ?? { buffers: Number.NaN, commits: Number.NaN };
    return { postgresMs, vaultMs, walBytes: wal.rows[0]?.bytes ?? Number.NaN, buffers, commits };
  });
}

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
  /** The time in milliseconds. */
  readonly at: number;
  readonly postgresMs: number;
  readonly walBytes: number;
  readonly buffers: number;
  readonly commits: number;
  readonly vaultMs: number;
}

/**
 * The time after which the work that a load leaves behind is done. PostgreSQL adds the counters of an idle connection to
 * its statistics after ten seconds at the latest.
 */
const settlingMs = 11_000;

export interface CostSubject {
  readonly vault: BenchVault;
  readonly worker: BenchProcess;
  readonly bare: BareDatabase;
  readonly idle: IdleCost;
}

export function costOfVault(subject: CostSubject, load: Load): Promise<Cost> {
  return measure(subject, 'postgres', () => runWrk(subject.vault, load));
}

export function costOfBare(subject: CostSubject, load: Load): Promise<Cost> {
  return measure(subject, databaseName, () => subject.bare.run(load));
}

/** What a vault without requests costs in a second. */
export type IdleCost = Pick<Counters, 'postgresMs' | 'walBytes' | 'buffers' | 'commits' | 'vaultMs'>;

export async function measureIdleCost(subject: Omit<CostSubject, 'idle'>): Promise<IdleCost> {
  await untilSettled(subject);
  const before = await readCounters(subject, 'postgres');
  await pause(settlingMs);
  const after = await readCounters(subject, 'postgres');
  const each = (name: keyof IdleCost) => (1_000 * (after[name] - before[name])) / (after.at - before.at);
  return {
    postgresMs: each('postgresMs'),
    walBytes: each('walBytes'),
    buffers: each('buffers'),
    commits: each('commits'),
    vaultMs: each('vaultMs'),
  };
}

/**
 * Runs a load, waits until the work that it leaves behind is done, subtracts what the idle vault would have cost, and
 * divides by the number of requests.
 */
async function measure(subject: CostSubject, database: string, run: () => Promise<Counted>): Promise<Cost> {
  const before = await readCounters(subject, database);
  const locks = LockSamples.start(subject.vault, database);
  const { requests, perSecond } = await run();
  const lockWaitShare = await locks.stop();
  await untilSettled(subject);
  const after = await readCounters(subject, database);
  const seconds = (after.at - before.at) / 1_000;
  const each = (name: keyof IdleCost, isOfVault = true) =>
    (after[name] - before[name] - (isOfVault ? seconds * subject.idle[name] : 0)) / requests;
  const isVault = database === 'postgres';
  return {
    perSecond,
    postgresMs: each('postgresMs'),
    walBytes: each('walBytes'),
    buffers: each('buffers', isVault),
    commits: each('commits', isVault),
    vaultMs: each('vaultMs'),
    lockWaitShare,
  };
}

/** Waits until all records are sealed, what follows from them is done, and the statistics are complete. */
async function untilSettled({ vault }: Pick<CostSubject, 'vault'>): Promise<void> {
  await untilSealed(vault);
  await pause(settlingMs);
}

async function readCounters({ vault, worker }: Omit<CostSubject, 'idle'>, database: string): Promise<Counters> {
  // The statistics of the database are read on a connection to another one, which does not count here.
  return withClient(vault.postgres.urlOf('template1'), async (client) => {
    const { rows } = await client.query<Pick<Counters, 'walBytes' | 'buffers' | 'commits'>>(
      `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "walBytes",
          (blks_hit + blks_read)::float8 as buffers, xact_commit::float8 as commits
        from pg_stat_database where datname = $1`,
      [database],
    );
    const { walBytes, buffers, commits } = rows[0] ?? {
      walBytes: Number.NaN,
      buffers: Number.NaN,
      commits: Number.NaN,
    };
    const postgresMs = await postgresProcessorMs(vault.postgres);
    const vaultMs = ((await vault.cpuMicroseconds()) + (await worker.cpuMicroseconds())) / 1_000;
    return { at: performance.now(), postgresMs, walBytes, buffers, commits, vaultMs };
  });
}

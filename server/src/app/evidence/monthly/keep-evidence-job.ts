import { reasonOf } from '../../../core/errors/operator-error.ts';
import type { WorkerConfig } from '../../../platform/config/config.ts';
import type { Environment } from '../../../platform/config/setting.ts';
import { findOutage } from '../../../platform/database/database-error.ts';
import type { Job } from '../../../platform/jobs/job.ts';
import { openObjectStore } from '../../../platform/object-storage/open-object-store.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { withLogOf } from '../../operations/open-log.ts';
import type { VaultCore } from '../../wiring/vault-core.ts';
import type { KeptBundles } from './kept-bundles.ts';
import { pastMonth, periodOf } from './past-month.ts';

/** The program that runs. Some facts are about it. */
export interface RunningProgram {
  readonly environment: Environment;
  readonly version: string;
}

export interface EvidenceKeeping extends RunningProgram {
  readonly core: VaultCore;
  readonly config: Pick<WorkerConfig, 'database' | 'rootKeys' | 'cell' | 'logLevel' | 'audit' | 'logStreams'>;
  readonly logger: Logger;
  readonly now?: () => Date;
}

const name = 'keep-evidence';
/** The log of a month is verified, which takes hours if it is large. */
const limitMs = 6 * 3_600_000;
/** A vault with ten thousand tenants has about 60 MB. */
const bundleBytesMax = 256 * 1024 * 1024;

/**
 * Keeps a bundle of each past month in the archive of the log, about the whole vault. It runs every hour, so that it is
 * retried, and does nothing once the bundle is there. Without the settings it does nothing either: if it were not offered,
 * runs that an earlier worker has scheduled would wait for ever.
 */
export function keepEvidenceJob(keeping: EvidenceKeeping): Job {
  const { archive, evidenceMonths } = keeping.config.audit;
  const { core, now = () => new Date() } = keeping;
  // A bundle is read once in each process. After that, nothing is requested from the archive until the next month.
  let seen: string | undefined;
  const run = async (_payload: unknown, signal?: AbortSignal) => {
    const month = pastMonth(now());
    if (archive === undefined || evidenceMonths === undefined || month === seen) return;
    const { KeptBundles } = await import('./kept-bundles.ts');
    const store = openObjectStore(archive);
    try {
      const bundles = new KeptBundles(store, core.systemKeys.auditSigner().publicKey);
      if (!(await bundles.isWhole(month))) await write(keeping, { bundles, month, signal });
      await bundles.removeAllBut(evidenceMonths);
      seen = month;
    } finally {
      store.close();
    }
  };
  return { name, schedule: { everyMinutes: 60, atMinute: 53 }, limitMs, run };
}

async function write(
  { core, config, logger, environment, version }: EvidenceKeeping,
  { bundles, month, signal }: { bundles: KeptBundles; month: string; signal: AbortSignal | undefined },
): Promise<void> {
  await bundles.begin(month);
  const { writeEvidence } = await import('../take-evidence.ts');
  const { MemoryTarget } = await import('../bundle/bundle-target.ts');
  const target = new MemoryTarget(bundleBytesMax);
  const order = {
    config,
    streams: config.logStreams,
    environment,
    version,
    tenantId: undefined,
    period: periodOf(month),
    onStep: () => signal?.throwIfAborted(),
    onRecords: () => signal?.throwIfAborted(),
    onFailure: (_group: string, error: Error) => {
      signal?.throwIfAborted();
      // The bundle stays, so it waits for a database that will be back. Anything else is a fact that could not be read.
      if (findOutage(error) !== undefined) throw error;
      logger.warn('part of the evidence could not be read', { job: name, error: reasonOf(error) });
    },
  };
  await withLogOf(core, config, (log) => writeEvidence(order, log, target));
  signal?.throwIfAborted();
  await bundles.put(month, target);
  logger.info('evidence kept', { job: name, value: month });
}

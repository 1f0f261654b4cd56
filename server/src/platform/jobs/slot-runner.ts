import type { PgBoss } from 'pg-boss';
import { nameOf } from '../../core/errors/thrown.ts';
import { reasonOf } from '../../core/errors/operator-error.ts';
import { membersOf } from '../../core/objects/members-of.ts';
import { findOutage } from '../database/database-error.ts';
import type { Logger } from '../telemetry/logger.ts';
import { withinTime } from '../waiting/within-time.ts';
import type { WatchedJob } from './job-watch.ts';
import { SlotShares } from './slot-shares.ts';

export interface SlotRunnerParts {
  readonly boss: PgBoss;
  readonly job: WatchedJob;
  readonly slots: number;
  /** Lists the groups in which jobs of these tenants are waiting. */
  readonly listGroups: (tenantIds: readonly string[]) => Promise<string[]>;
  readonly pollSeconds: number;
  readonly heartbeatSeconds: number;
  readonly logger: Logger;
}

/** One attempt at a job. A later attempt at the same job has a greater count. */
interface JobAttempt {
  readonly id: string;
  readonly retryCount: number;
}

interface Run {
  readonly attempt: JobAttempt;
  readonly stopping: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Takes jobs whenever slots are free, one at a time for each group, and shares the slots among the tenants that the jobs
 * name. The workers of pg-boss take jobs in batches that end with their longest run, or each look for jobs on their own.
 * Neither suits many long runs.
 */
export class SlotRunner {
  readonly #parts: SlotRunnerParts;
  readonly #runs = new Map<string, Run>();
  readonly #shares: SlotShares;
  readonly #polling: NodeJS.Timeout;
  readonly #beating: NodeJS.Timeout;
  #filling: Promise<void> | undefined;
  #mustFillAgain = false;
  #isStopped = false;

  constructor(parts: SlotRunnerParts) {
    this.#parts = parts;
    this.#shares = new SlotShares(parts.slots);
    this.#polling = setInterval(() => this.#fill(), parts.pollSeconds * 1_000);
    this.#beating = setInterval(() => void this.#beat(), (parts.heartbeatSeconds * 1_000) / 3);
    this.#fill();
  }

  get name(): string {
    return this.#parts.job.name;
  }

  /** Looks for jobs, because some were enqueued. */
  notify(): void {
    this.#parts.job.onNotified?.();
    this.#fill();
  }

  /** Takes no more jobs, asks running ones to end, and waits for them. */
  async stop(patienceMs: number): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#polling);
    await this.#filling;
    for (const { stopping } of this.#runs.values()) stopping.abort(new Error('The worker is stopping.'));
    const ended = Promise.all([...this.#runs.values()].map((run) => run.ended));
    await withinTime(ended, patienceMs, 'Jobs did not end in time.').catch(() => undefined);
    clearInterval(this.#beating);
  }

  /** Takes jobs until no slot or no job is left. Concurrent calls share the work. */
  #fill(): void {
    this.#mustFillAgain = true;
    this.#filling ??= this.#fillAll().finally(() => {
      this.#filling = undefined;
      // A call between the last look and this line has found the work under way.
      if (this.#mustFillAgain && !this.#isStopped) this.#fill();
    });
  }

  async #fillAll(): Promise<void> {
    const { boss, job, logger, listGroups } = this.#parts;
    while (this.#mustFillAgain && !this.#isStopped) {
      this.#mustFillAgain = false;
      const batchSize = this.#shares.takeMax;
      if (batchSize === 0) return;
      try {
        const { full } = this.#shares;
        const ignoreGroups = full.length === 0 ? [] : await listGroups(full);
        const jobs = await boss.fetch<unknown>(job.name, { batchSize, groupConcurrency: 1, ignoreGroups });
        for (const { id, data, retryCount } of jobs as ((typeof jobs)[number] & { readonly retryCount: number })[]) {
          this.#start({ id, retryCount }, data);
        }
        if (jobs.length > 0) this.#mustFillAgain = true;
      } catch (error) {
        if (findOutage(error) === undefined) logger.error('jobs were not taken', { error: nameOf(error) });
        // The next poll tries again.
        this.#mustFillAgain = false;
        return;
      }
    }
  }

  #start(attempt: JobAttempt, data: unknown): void {
    const stopping = new AbortController();
    const { tenant_id: tenantId } = membersOf(data);
    const tenant = typeof tenantId === 'string' ? tenantId : undefined;
    this.#shares.take(tenant);
    const ended = this.#run(attempt, data, stopping.signal).finally(() => {
      this.#runs.delete(attempt.id);
      this.#shares.release(tenant);
      // Another job of the same group may have waited for this one.
      if (!this.#isStopped) this.#fill();
    });
    this.#runs.set(attempt.id, { attempt, stopping, ended });
  }

  async #run(attempt: JobAttempt, data: unknown, signal: AbortSignal): Promise<void> {
    const { boss, job, logger } = this.#parts;
    const failure = await job.run(data, signal).then(
      () => undefined,
      (error: unknown) => ({ error: reasonOf(error) }),
    );
    try {
      if (failure === undefined) await boss.complete(job.name, attempt);
      else await boss.fail(job.name, attempt, failure);
    } catch (error) {
      // The job is taken again when its heartbeat is missing.
      if (findOutage(error) === undefined) logger.error('the end of a job was not recorded', { error: nameOf(error) });
    }
  }

  /** Tells the database that the runs are alive, and ends those that another worker has taken over. */
  async #beat(): Promise<void> {
    const { boss, job, logger } = this.#parts;
    const runs = [...this.#runs.values()];
    if (runs.length === 0) return;
    try {
      const { settled } = (await boss.touch(
        job.name,
        runs.map(({ attempt }) => attempt),
      )) as { readonly settled?: readonly string[] };
      if (settled === undefined) return;
      for (const { attempt, stopping } of runs) {
        if (!settled.includes(attempt.id)) stopping.abort(new Error('Another worker has taken over.'));
      }
    } catch (error) {
      if (findOutage(error) === undefined) logger.error('a heartbeat was not recorded', { error: nameOf(error) });
    }
  }
}

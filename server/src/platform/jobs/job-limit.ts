import type { Job } from './job.ts';

/** A job that did not end within its time limit. */
export class JobOverrunError extends Error {
  constructor() {
    super('The job took too long and will be retried.');
    this.name = 'JobOverrunError';
  }
}

/**
 * Runs a job, and stops waiting for it at its time limit. Otherwise a job that hangs would occupy a slot of the worker
 * forever, and its heartbeat would be sent again and again.
 */
export async function runWithin(
  job: Job,
  payload: unknown,
  { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const ending = new AbortController();
  const overrun = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new JobOverrunError();
    ending.abort(error);
    overrun.reject(error);
  }, limitMs);
  try {
    const signals = signal === undefined ? [ending.signal] : [ending.signal, signal];
    await Promise.race([job.run(payload, AbortSignal.any(signals)), overrun.promise]);
  } finally {
    clearTimeout(timer);
  }
}

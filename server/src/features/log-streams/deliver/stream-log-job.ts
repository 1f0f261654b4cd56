import { membersOf } from '../../../core/objects/members-of.ts';
import type { StreamConfig } from '../../../platform/config/log-stream-config.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Job } from '../../../platform/jobs/job.ts';
import { Wakings } from '../../../platform/jobs/wakings.ts';
import { openDestination } from '../destinations/open-destination.ts';
import { wakeStreams } from '../model/stream-store.ts';
import { type StreamPace, StreamRun, type StreamRunParts } from './stream-run.ts';

const streamPace: StreamPace = { lingerMs: 5_000, sliceMs: 60_000 };

/** Sends one stream. pg-boss runs it for one stream in one place at a time, and again if its worker has died. */
export function streamLogJob({
  streams,
  pace,
  ...parts
}: Omit<StreamRunParts, 'wakings' | 'pace' | 'collectsUntil'> & {
  readonly streams: readonly StreamConfig[];
  readonly pace?: Partial<StreamPace>;
}): Job {
  const wakings = new Wakings();
  const collectsUntil = new Map<string, number>();
  const runParts = { ...parts, wakings, collectsUntil, pace: { ...streamPace, ...pace } };
  return {
    name: 'stream-log',
    // Each stream has a slot, so that none waits for another.
    slots: streams.length,
    limitMs: 60 * 60_000,
    onNotified: () => wakings.wakeAll(),
    async run(payload, signal = new AbortController().signal) {
      const { stream } = membersOf(payload);
      const config = streams.find(({ name }) => name === stream);
      // A stream that is no longer configured ends here, and its position stays.
      if (config === undefined) return;
      const destination = openDestination(config);
      try {
        await new StreamRun(runParts, { config, destination }, signal).run();
      } finally {
        destination.close();
      }
    },
  };
}

/** Has workers look at the configured streams, because records were sealed or the worker has just started. */
export async function wakeLogStreams(database: Database, streams: readonly StreamConfig[]): Promise<void> {
  if (streams.length === 0) return;
  await database.forSealer((tx) =>
    wakeStreams(
      tx,
      streams.map(({ name }) => name),
      0,
    ),
  );
}

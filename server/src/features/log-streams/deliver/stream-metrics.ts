import type { StreamConfig } from '../../../platform/config/log-stream-config.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Metrics } from '../../../platform/telemetry/metrics.ts';
import { withinScrape } from '../../../platform/waiting/within-scrape.ts';
import { readStreamStatus } from './stream-status.ts';

/** Counts what this process sends. The label is the name of the stream, of which there are few. */
export class StreamMetrics {
  readonly #lines: ReturnType<Metrics['addCounter']>;
  readonly #batches: ReturnType<Metrics['addCounter']>;
  readonly #lost: ReturnType<Metrics['addCounter']>;

  constructor(metrics: Metrics, streams: readonly StreamConfig[]) {
    this.#lines = metrics.addCounter(
      'strongroom_log_stream_lines_total',
      'Lines that receivers of log streams accepted.',
      ['stream'],
    );
    this.#batches = metrics.addCounter('strongroom_log_stream_batches_total', 'Batches of log streams, by outcome.', [
      'stream',
      'outcome',
    ]);
    this.#lost = metrics.addCounter(
      'strongroom_log_stream_lost_records_total',
      'Records that retention dropped before a log stream had sent them.',
      ['stream'],
    );
    // The counters start at 0, so that the first failure is visible as an increase.
    for (const { name: stream } of streams) {
      this.#lines.inc({ stream }, 0);
      this.#lost.inc({ stream }, 0);
      for (const outcome of ['accepted', 'failed']) this.#batches.inc({ stream, outcome }, 0);
    }
  }

  noteAccepted(stream: string, lines: number, lost: number): void {
    this.#batches.inc({ stream, outcome: 'accepted' }, 1);
    this.#lines.inc({ stream }, lines);
    this.#lost.inc({ stream }, lost);
  }

  noteFailed(stream: string): void {
    this.#batches.inc({ stream, outcome: 'failed' }, 1);
  }
}

/** Reports how far streams are behind. All workers report the same values. */
export function addStreamGauges(metrics: Metrics, database: Database, streams: readonly StreamConfig[]): void {
  metrics.addGauges(
    'strongroom_log_stream_lag_seconds',
    'Age of the oldest checkpoint that the receiver of a log stream has not accepted.',
    'stream',
    async () => {
      const reading = readStreamStatus(database, streams);
      const found = await withinScrape(reading);
      return new Map(found.map(({ name, lagSeconds }) => [name, lagSeconds]));
    },
  );
}

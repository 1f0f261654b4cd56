import type { VaultEvent } from '../../../core/events/event-envelope.ts';
import type { Metrics } from '../../../platform/telemetry/metrics.ts';
import type { SendResult } from './webhook-sender.ts';

const outcomes = ['accepted', 'gone', 'failed'] as const;

/** Counts requests to endpoints. No label names an endpoint, because anyone could create any number of them. */
export class DeliveryMetrics {
  readonly #requests: ReturnType<Metrics['addCounter']>;
  readonly #events: ReturnType<Metrics['addCounter']>;
  readonly #lost: ReturnType<Metrics['addCounter']>;
  readonly #seconds: ReturnType<Metrics['addHistogram']>;

  constructor(metrics: Metrics) {
    this.#requests = metrics.addCounter('strongroom_webhook_requests_total', 'Requests to webhooks, by outcome.', [
      'outcome',
    ]);
    this.#events = metrics.addCounter('strongroom_webhook_events_total', 'Events that webhooks have accepted.', []);
    this.#lost = metrics.addCounter(
      'strongroom_webhook_lost_records_total',
      'Records that retention dropped before a webhook had read them.',
      [],
    );
    this.#seconds = metrics.addHistogram(
      'strongroom_webhook_delivery_seconds',
      'Time from an event to its acceptance by a webhook.',
      { buckets: [0.25, 0.5, 1, 2, 5, 15, 60, 600, 3_600, 86_400] },
    );
    // The counters start at 0, so that the first failure is visible as an increase.
    for (const outcome of outcomes) this.#requests.inc({ outcome }, 0);
    this.#events.inc({}, 0);
    this.#lost.inc({}, 0);
  }

  note({ outcome }: SendResult, events: readonly VaultEvent[]): void {
    this.#requests.inc({ outcome }, 1);
    if (outcome !== 'accepted') return;
    this.#events.inc({}, events.length);
    const now = Date.now();
    for (const { timestamp } of events) this.#seconds.observe({}, (now - Date.parse(timestamp)) / 1_000);
  }

  noteLost(count: number): void {
    this.#lost.inc({}, count);
  }
}

import { graph } from './panels.ts';
import { chosen, quantile, rate, type Row } from './row.ts';

/** What the audit log sends: events to webhooks, and copies of itself. */
export const eventRows: readonly Row[] = [
  {
    title: 'Webhooks',
    panels: [
      graph(
        {
          title: 'Lag',
          description: 'How far webhooks are behind the audit log. A second or two is normal.',
          unit: 's',
        },
        [`max by (state) (${chosen('strongroom_webhook_lag_seconds')})`, '{{state}}'],
        [quantile(0.99, 'strongroom_webhook_delivery_seconds'), 'p99 of deliveries'],
      ),
      graph({ title: 'Requests to webhooks', description: 'Requests, by outcome.', unit: 'reqps' }, [
        `sum by (outcome) (${rate('strongroom_webhook_requests_total')})`,
        '{{outcome}}',
      ]),
      graph(
        { title: 'Events', description: 'Events that webhooks accepted, and records that they missed.', unit: 'short' },
        [`sum(${rate('strongroom_webhook_events_total')})`, 'accepted'],
        [`sum(${rate('strongroom_webhook_lost_records_total')})`, 'missed'],
      ),
      graph({ title: 'Enabled webhooks', description: 'Enabled webhooks, by state.', unit: 'short' }, [
        `max by (state) (${chosen('strongroom_webhook_endpoints')})`,
        '{{state}}',
      ]),
    ],
  },
  {
    title: 'Log streams',
    panels: [
      graph(
        { title: 'Lag of streams', description: 'How far receivers are behind the audit log, by stream.', unit: 's' },
        [`max by (stream) (${chosen('strongroom_log_stream_lag_seconds')})`, '{{stream}}'],
      ),
      graph({ title: 'Lines of streams', description: 'Lines that receivers accepted, by stream.', unit: 'short' }, [
        `sum by (stream) (${rate('strongroom_log_stream_lines_total')})`,
        '{{stream}}',
      ]),
      graph(
        { title: 'Batches of streams', description: 'Batches, by outcome, and records that were lost.', unit: 'short' },
        [`sum by (outcome) (${rate('strongroom_log_stream_batches_total')})`, '{{outcome}}'],
        [`sum(${rate('strongroom_log_stream_lost_records_total')})`, 'lost records'],
      ),
    ],
  },
];

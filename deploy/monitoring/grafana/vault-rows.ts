import { eventRows } from './event-rows.ts';
import { graph } from './panels.ts';
import { chosen, quantile, rate, type Row } from './row.ts';

const open = 'strongroom_database_connections_open';
const idle = 'strongroom_database_connections_idle';

export const vaultRows: readonly Row[] = [
  {
    title: 'Audit log',
    panels: [
      graph({ title: 'Oldest unsealed record', description: 'A second or two is normal.', unit: 's' }, [
        `max(${chosen('strongroom_audit_unsealed_age_seconds')})`,
        'age',
      ]),
      graph(
        {
          title: 'Sealing',
          description: 'Age of the oldest record of a pass, and time since the last pass of any worker.',
          unit: 's',
        },
        [quantile(0.99, 'strongroom_audit_seal_lag_seconds'), 'p99 of the lag'],
        [`min(${chosen('strongroom_audit_seal_idle_seconds')})`, 'since the last pass'],
      ),
      graph(
        {
          title: 'Anchors',
          description: 'How long checkpoints wait for an anchor. Deliveries are 10 seconds apart.',
          unit: 's',
        },
        [`max(${chosen('strongroom_audit_anchor_lag_seconds')})`, 'lag'],
      ),
      graph(
        {
          title: 'Waiting and stopped',
          description:
            'Checkpoints that wait for an anchor, and tenants that are not sealed because of a damaged checkpoint.',
          unit: 'short',
        },
        [`max(${chosen('strongroom_audit_anchor_waiting')})`, 'checkpoints waiting'],
        [`max(${chosen('strongroom_audit_seal_stopped_tenants')})`, 'tenants stopped'],
      ),
      graph(
        {
          title: 'Waiting for the archive',
          description: 'How long the oldest month past its retention has waited. Empty if none waits.',
          unit: 's',
        },
        [`max by (month) (${chosen('strongroom_audit_archive_waiting_seconds')})`, '{{month}}'],
      ),
    ],
  },
  ...eventRows,
  {
    title: 'Jobs',
    panels: [
      graph(
        {
          title: 'Waiting jobs',
          description: 'How long a job has been due without a worker taking it. 0 is normal.',
          unit: 's',
        },
        [`max by (task) (${chosen('strongroom_job_lag_seconds')})`, '{{task}}'],
      ),
      graph(
        {
          title: 'Intervals since success',
          description:
            'Time since a scheduled job last succeeded in any worker, in intervals of its schedule. Up to 1 is normal.',
          unit: 'none',
        },
        [
          `min by (task) (${chosen('strongroom_job_idle_seconds')}) / max by (task) (${chosen('strongroom_job_interval_seconds')})`,
          '{{task}}',
        ],
      ),
      graph({ title: 'Failed runs', description: 'Per hour. Failed jobs are retried.', unit: 'short' }, [
        `sum by (task) (increase(${chosen('strongroom_job_runs_total', 'outcome="failed"')}[1h]))`,
        '{{task}}',
      ]),
      graph(
        {
          title: 'Dead letters',
          description: 'Jobs that failed at every attempt and wait for an operator. 0 is normal.',
          unit: 'short',
        },
        [`max by (task) (${chosen('strongroom_job_dead_letters')})`, '{{task}}'],
      ),
      graph({ title: 'Runs', description: 'Successful runs per hour.', unit: 'short' }, [
        `sum by (task) (increase(${chosen('strongroom_job_runs_total', 'outcome="done"')}[1h]))`,
        '{{task}}',
      ]),
      graph({ title: 'Jobs under way', description: 'Each worker does up to 4 at a time.', unit: 'short' }, [
        chosen('strongroom_jobs_running'),
        '{{instance}}',
      ]),
    ],
  },
  {
    title: 'Database pools',
    panels: [
      graph({ title: 'Connections in use', description: 'Of each process and pool.', unit: 'short' }, [
        `${chosen(open)} - ${chosen(idle)}`,
        '{{instance}} {{pool}}',
      ]),
      graph(
        {
          title: 'Share of the pool in use',
          description: 'All the time at 100 %: the pool is too small, or PostgreSQL too slow.',
          unit: 'percentunit',
        },
        [
          `(${chosen(open)} - ${chosen(idle)}) / ${chosen('strongroom_database_connections_max')}`,
          '{{instance}} {{pool}}',
        ],
      ),
      graph(
        {
          title: 'Requests waiting for a connection',
          description: '0 most of the time. After 5 seconds of waiting, requests get 503.',
          unit: 'short',
        },
        [chosen('strongroom_database_requests_waiting'), '{{instance}} {{pool}}'],
      ),
    ],
  },
  {
    title: 'Batches',
    panels: [
      graph(
        {
          title: 'Items per batch',
          description: 'Concurrent requests of a tenant share commits and queries. 1 on an idle server.',
          unit: 'short',
        },
        [
          `sum by (batch) (${rate('strongroom_batch_items_sum')}) / (sum by (batch) (${rate('strongroom_batch_items_count')}) > 0)`,
          '{{batch}}',
        ],
      ),
      graph(
        {
          title: 'Time of a batch (p99)',
          description: 'With its commit: how fast PostgreSQL is for the vault.',
          unit: 's',
        },
        [quantile(0.99, 'strongroom_batch_seconds', ['batch']), '{{batch}}'],
      ),
      graph(
        {
          title: 'Items waiting for a batch',
          description: 'Growing: PostgreSQL is too slow for the load.',
          unit: 'short',
        },
        [`sum by (batch) (${chosen('strongroom_batch_items_waiting')})`, '{{batch}}'],
      ),
    ],
  },
  {
    title: 'Keys and certificates',
    panels: [
      graph(
        {
          title: 'Cache hits',
          description: 'Share of reads that needed no load. Low for `api-keys`: the change feed is down.',
          unit: 'percentunit',
        },
        [
          `sum by (cache) (${rate('strongroom_cache_reads_total', 'outcome="hit"')}) / (sum by (cache) (${rate('strongroom_cache_reads_total')}) > 0)`,
          '{{cache}}',
        ],
      ),
      graph(
        {
          title: 'Loads',
          description: 'Loads from the database, and for `tenant-keys` also from the key service.',
          unit: 'ops',
        },
        [
          `sum by (cache, outcome) (${rate('strongroom_cache_reads_total', 'outcome!="hit"')})`,
          '{{cache}} {{outcome}}',
        ],
      ),
      graph({ title: 'Cached entries', description: 'Of all servers.', unit: 'short' }, [
        `sum by (cache) (${chosen('strongroom_cache_entries')})`,
        '{{cache}}',
      ]),
      graph(
        {
          title: 'Loaded keys last for',
          description:
            'Until the first loaded keys can no longer be used, while the key service fails. Otherwise empty.',
          unit: 's',
        },
        [`min by (cache) (${chosen('strongroom_cache_ends_seconds')} < inf)`, '{{cache}}'],
        [`min by (root_key) (${chosen('strongroom_tenant_root_key_ends_seconds')} < inf)`, 'tenants of {{root_key}}'],
      ),
      graph(
        {
          title: 'Age of the oldest key',
          description: 'Root key, data keys, API keys. StrongroomKeyOld fires after a year.',
          unit: 'd',
        },
        [`max by (key) (${chosen('strongroom_key_age_seconds')}) / 86400`, '{{key}}'],
      ),
      graph(
        {
          title: 'Certificates: days left',
          description: 'Certificates in the settings of servers. Empty if there are none.',
          unit: 'd',
        },
        [`(min by (use) (${chosen('strongroom_certificate_expiry_timestamp_seconds')}) - time()) / 86400`, '{{use}}'],
      ),
    ],
  },
];

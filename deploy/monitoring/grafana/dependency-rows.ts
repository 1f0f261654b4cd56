import { graph } from './panels.ts';
import { chosen, rate, type Row } from './row.ts';

const postgres = 'job="strongroom-postgres"';
const disks = 'job="strongroom-node",fstype!~"tmpfs|ramfs|squashfs|overlay"';

export const dependencyRows: readonly Row[] = [
  {
    title: 'Processes',
    panels: [
      graph(
        {
          title: 'Event loop delay (p99)',
          description:
            'One thread serves all requests: its delay is everybody\u2019s. Above 0.1 s the server is overloaded.',
          unit: 's',
        },
        [chosen('nodejs_eventloop_lag_p99_seconds'), '{{instance}}'],
      ),
      graph(
        { title: 'Processor', description: 'Processors in use. A server can use little more than 1.', unit: 'none' },
        [rate('process_cpu_seconds_total'), '{{instance}}'],
      ),
      graph(
        { title: 'Memory', description: 'Of the process, and of its JavaScript objects.', unit: 'bytes' },
        [chosen('process_resident_memory_bytes'), '{{instance}}'],
        [chosen('nodejs_heap_size_used_bytes'), '{{instance}} objects'],
      ),
      graph({ title: 'Open files and connections', description: 'Growing without end: a leak.', unit: 'short' }, [
        chosen('process_open_fds'),
        '{{instance}}',
      ]),
      graph({ title: 'Time since the start', description: 'Falls to 0 with each restart.', unit: 's' }, [
        `time() - ${chosen('process_start_time_seconds')}`,
        '{{instance}}',
      ]),
      graph(
        {
          title: 'Traces',
          description:
            'Spans by what became of them, and traces beyond the limit in a second. Nothing without a collector.',
          unit: 'ops',
        },
        [`sum by (outcome) (${rate('strongroom_trace_spans_total')})`, '{{outcome}}'],
        [`sum(${rate('strongroom_traces_limited_total')})`, 'limited'],
      ),
    ],
  },
  {
    title: 'The ground',
    panels: [
      graph(
        {
          title: 'Synchronous standbys',
          description: 'Attached, and needed for a write. Nothing if the vault may not see them.',
          unit: 'short',
        },
        [`max(${chosen('strongroom_synchronous_standbys')})`, 'attached'],
        [`max(${chosen('strongroom_synchronous_standbys_needed')})`, 'needed'],
      ),
      graph(
        { title: 'Clock of the database', description: 'Ahead of the process, or behind it (negative).', unit: 's' },
        [chosen('strongroom_database_clock_offset_seconds'), '{{instance}}'],
      ),
      graph(
        { title: 'Connections left', description: 'That PostgreSQL would still accept from the vault.', unit: 'short' },
        [`min(${chosen('strongroom_database_connections_left')})`, 'left'],
      ),
      graph(
        {
          title: 'Archive fails',
          description: 'Since the last success, if the last attempt to archive the write-ahead log failed.',
          unit: 's',
        },
        [`max(${chosen('strongroom_wal_archive_failing_seconds')})`, 'failing'],
      ),
    ],
  },
  {
    title: 'PostgreSQL (needs postgres_exporter)',
    panels: [
      graph(
        { title: 'Connections', description: 'By state, and the most that PostgreSQL allows.', unit: 'short' },
        [`sum by (state) (pg_stat_activity_count{${postgres}}) > 0`, '{{state}}'],
        [`max(pg_settings_max_connections{${postgres}})`, 'max_connections'],
      ),
      graph({ title: 'Size of databases', description: 'The audit log grows fastest.', unit: 'bytes' }, [
        `max by (datname) (pg_database_size_bytes{${postgres}})`,
        '{{datname}}',
      ]),
      graph(
        {
          title: 'Standbys behind the primary',
          description: 'Bytes of write-ahead log that a standby has not replayed.',
          unit: 'bytes',
        },
        [`max by (application_name) (pg_stat_replication_pg_wal_lsn_diff{${postgres}})`, '{{application_name}}'],
      ),
    ],
  },
  {
    title: 'Machines and scheduled runs (need node_exporter)',
    panels: [
      graph(
        { title: 'Free disk space', description: 'StrongroomDiskNearlyFull fires below 10 %.', unit: 'percentunit' },
        [`node_filesystem_avail_bytes{${disks}} / node_filesystem_size_bytes{${disks}}`, '{{instance}} {{mountpoint}}'],
      ),
      graph(
        {
          title: 'Since the last success',
          description: 'Of backups and other runs that deploy/monitoring/record-run records.',
          unit: 's',
        },
        ['time() - max by (run) (strongroom_run_succeeded_timestamp_seconds)', '{{run}}'],
      ),
    ],
  },
];

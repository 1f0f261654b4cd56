import { setTimeout as pause } from 'node:timers/promises';
import type { ApplicationNode } from '../stage/application-node.ts';
import type { Cluster } from '../stage/cluster.ts';
import { ports } from '../stage/ports.ts';
import { until } from '../stage/until.ts';
import { type FaultKind, nothingToHeal } from './fault.ts';
import { primaryOf } from './processes.ts';

/** Operator actions on a running vault. */
export const operatorFaults: readonly FaultKind[] = [
  {
    name: 'switchover',
    lastsSeconds: [0, 0],
    begin: async (cluster) => {
      const { host } = await primaryOf(cluster);
      const response = await fetch(`http://${host.address}:${ports.patroni}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: host.name }),
        signal: AbortSignal.timeout(60_000),
      });
      if (!response.ok) throw new Error(`There was no switchover: ${await response.text()}`);
      return nothingToHeal;
    },
  },
  {
    name: 'rolling restart of servers and workers',
    lastsSeconds: [0, 0],
    failsNobody: true,
    begin: async (cluster) => {
      for (const node of cluster.applications) await restart(cluster, node);
      return nothingToHeal;
    },
  },
  {
    name: 'transaction open for long, which holds sealing up',
    lastsSeconds: [5, 20],
    begin: async (cluster) => {
      const client = await cluster.connect();
      await client.query('begin; select pg_current_xact_id()');
      client.on('error', () => undefined);
      return async () => {
        await client.end().catch(() => undefined);
      };
    },
  },
  {
    name: 'incremental backup, restored to a moment elsewhere',
    lastsSeconds: [0, 0],
    failsNobody: true,
    begin: async (cluster) => {
      await restoreToNow(cluster);
      return nothingToHeal;
    },
  },
  {
    name: 'data keys rotated, data re-encrypted',
    lastsSeconds: [0, 0],
    begin: async (cluster, random) => {
      const node = random.pick(cluster.applications);
      await node.run(['keys', 'rotate', 'data', '--all']);
      await node.run(['keys', 'reencrypt', '--all', '--rate', '500']);
      return nothingToHeal;
    },
  },
];

/** The maximum time that a mostly idle database may take to archive its writes, in seconds. */
const archivedSecondsMax = 90;

async function restoreToNow(cluster: Cluster): Promise<void> {
  const [application] = cluster.applications;
  if (application === undefined) throw new Error('There is no machine to verify a backup on.');
  await cluster.backups.take(await primaryOf(cluster), 'incr');
  const moment = Date.now();
  // A restore to a point in time is only possible after a later write has been archived.
  await pause(1_000);
  const [switched] = await cluster.query<{ file: string }>('select pg_walfile_name(pg_switch_wal()) as file');
  await until('the archive', archivedSecondsMax, async () => {
    const [row] = await cluster.query<{ is_there: boolean }>(
      `select coalesce(substr(last_archived_wal, 9) >= substr('${switched?.file}', 9), false) as is_there from pg_stat_archiver`,
    );
    return row?.is_there === true;
  });
  await cluster.backups.restore(moment, application);
}

/** Restarts a server and a worker like an init system would, and waits until the new processes are in use. */
export async function restart(cluster: Cluster, node: ApplicationNode): Promise<void> {
  for (const service of [node.server, node.worker]) {
    const code = await service.stop('SIGTERM');
    if (code !== 0) throw new Error(`${service.name} on ${node.host.name} ended with ${code}.`);
    await service.start();
    await until(`${service.name} on ${node.host.name}`, 60, () => cluster.isHealthy());
  }
}

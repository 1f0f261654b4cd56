import type { ApplicationNode } from '../stage/application-node.ts';
import type { Cluster } from '../stage/cluster.ts';
import type { DatabaseNode } from '../stage/database-node.ts';
import { signalAll } from '../stage/host.ts';
import type { Service } from '../stage/service.ts';
import type { Random } from '../random.ts';
import { type FaultKind, type Heal, nothingToHeal } from './fault.ts';

/**
 * Process faults. Processes are killed, as in a crash or by the kernel, or pause for a while, as on a machine that
 * swaps.
 */
export const processFaults: readonly FaultKind[] = [
  {
    name: 'kill -9 of the primary PostgreSQL',
    lastsSeconds: [3, 5],
    begin: async (cluster) => {
      await (await primaryOf(cluster)).signalPostgres('SIGKILL');
      return nothingToHeal;
    },
  },
  {
    name: 'kill -9 of a standby PostgreSQL',
    lastsSeconds: [3, 5],
    begin: async (cluster, random) => {
      await random.pick(await cluster.standbys()).signalPostgres('SIGKILL');
      return nothingToHeal;
    },
  },
  {
    name: 'kill -9 of Patroni and its primary',
    lastsSeconds: [10, 25],
    begin: async (cluster) => {
      const node = await primaryOf(cluster);
      signalAll([...(await node.patroni.family()), ...(await node.postgres())], 'SIGKILL');
      return () => node.patroni.start();
    },
  },
  killOf('kill -9 of Patroni alone', async (cluster) => (await primaryOf(cluster)).patroni),
  killOf('kill -9 of etcd', (cluster, random) => random.pick(cluster.databases).etcd),
  killOf('kill -9 of HAProxy', (cluster, random) => random.pick(cluster.applications).haproxy),
  killOf('kill -9 of a server', (cluster, random) => random.pick(cluster.applications).server),
  killOf('kill -9 of a worker', (cluster, random) => random.pick(cluster.applications).worker),
  {
    name: 'primary PostgreSQL frozen',
    lastsSeconds: [5, 30],
    begin: async (cluster) => {
      const node = await primaryOf(cluster);
      const frozen = await node.postgres();
      signalAll(frozen, 'SIGSTOP');
      return () => Promise.resolve(signalAll(frozen, 'SIGCONT'));
    },
  },
  {
    name: 'standby PostgreSQL frozen',
    lastsSeconds: [5, 20],
    begin: async (cluster, random) => {
      const frozen = await random.pick(await cluster.standbys()).postgres();
      signalAll(frozen, 'SIGSTOP');
      return () => Promise.resolve(signalAll(frozen, 'SIGCONT'));
    },
  },
  freezeOf('Patroni of the primary frozen', [5, 30], async (cluster) => (await primaryOf(cluster)).patroni),
  freezeOf('etcd frozen', [5, 15], (cluster, random) => random.pick(cluster.databases).etcd),
  freezeOf('HAProxy frozen', [3, 10], (cluster, random) => random.pick(cluster.applications).haproxy),
  freezeOf('server frozen', [3, 15], (cluster, random) => random.pick(cluster.applications).server),
  freezeOf('worker frozen', [3, 15], (cluster, random) => random.pick(cluster.applications).worker),
];

/** Faults that affect a whole machine. */
export const machineFaults: readonly FaultKind[] = [
  {
    name: 'machine of the primary lost',
    lastsSeconds: [10, 30],
    begin: async (cluster) => killMachine(await primaryOf(cluster)),
  },
  {
    name: 'machine of a standby lost',
    lastsSeconds: [5, 20],
    begin: async (cluster, random) => killMachine(random.pick(await cluster.standbys())),
  },
  {
    name: 'machine of a server and worker lost',
    lastsSeconds: [3, 10],
    begin: (cluster, random) => killMachine(random.pick(cluster.applications)),
  },
  {
    name: 'machine of the primary frozen and woken',
    lastsSeconds: [40, 40],
    begin: async (cluster) => {
      const frozen = await (await primaryOf(cluster)).host.processes();
      signalAll(frozen, 'SIGSTOP');
      return () => Promise.resolve(signalAll(frozen, 'SIGCONT'));
    },
  },
];

export async function primaryOf(cluster: Cluster): Promise<DatabaseNode> {
  const primary = await cluster.primary();
  if (primary === undefined) throw new Error('There is no primary to break.');
  return primary;
}

async function killMachine(node: DatabaseNode | ApplicationNode): Promise<Heal> {
  await node.host.killAll();
  return () => node.start();
}

type Choice = (cluster: Cluster, random: Random) => Service | Promise<Service>;

function killOf(name: string, choose: Choice): FaultKind {
  return {
    name,
    lastsSeconds: [1, 5],
    begin: async (cluster, random) => {
      const service = await choose(cluster, random);
      await service.stop('SIGKILL');
      return () => service.start();
    },
  };
}

function freezeOf(name: string, lastsSeconds: FaultKind['lastsSeconds'], choose: Choice): FaultKind {
  return {
    name,
    lastsSeconds,
    begin: async (cluster, random) => {
      const frozen = await (await choose(cluster, random)).family();
      signalAll(frozen, 'SIGSTOP');
      return () => Promise.resolve(signalAll(frozen, 'SIGCONT'));
    },
  };
}

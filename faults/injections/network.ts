import type { ApplicationNode, LineName } from '../stage/application-node.ts';
import type { Cluster } from '../stage/cluster.ts';
import type { Host } from '../stage/host.ts';
import type { LineState } from '../stage/relay.ts';
import type { Random } from '../random.ts';
import type { FaultKind } from './fault.ts';
import { primaryOf } from './processes.ts';

/** Network partitions, which drop packets between machines in one direction or both. */
export const partitions: readonly FaultKind[] = [
  {
    name: 'primary cut off from everybody',
    lastsSeconds: [5, 30],
    begin: async (cluster) => {
      await cluster.network.isolate((await primaryOf(cluster)).host);
      return () => cluster.network.heal();
    },
  },
  {
    name: 'standby cut off from everybody',
    lastsSeconds: [5, 20],
    begin: async (cluster, random) => {
      await cluster.network.isolate(random.pick(await cluster.standbys()).host);
      return () => cluster.network.heal();
    },
  },
  {
    name: 'primary cut off from the other database machines',
    lastsSeconds: [5, 30],
    begin: async (cluster) => {
      const { host } = await primaryOf(cluster);
      await cluster.network.isolate(host, hostsOf(cluster.applications));
      return () => cluster.network.heal();
    },
  },
  {
    name: 'a server cut off from the primary',
    lastsSeconds: [5, 20],
    begin: async (cluster, random) => {
      const [{ host }, application] = [await primaryOf(cluster), random.pick(cluster.applications).host];
      await cutBothWays(cluster, host, application);
      return () => cluster.network.heal();
    },
  },
  oneWay('what the primary sends to the standbys is lost', async (cluster) => {
    const { host } = await primaryOf(cluster);
    return (await cluster.standbys()).map((standby) => [host, standby.host]);
  }),
  oneWay('what the standbys send to the primary is lost', async (cluster) => {
    const { host } = await primaryOf(cluster);
    return (await cluster.standbys()).map((standby) => [standby.host, host]);
  }),
  oneWay('what a server sends to the primary is lost', async (cluster, random) => [
    [random.pick(cluster.applications).host, (await primaryOf(cluster)).host],
  ]),
  oneWay('what the primary sends to a server is lost', async (cluster, random) => [
    [(await primaryOf(cluster)).host, random.pick(cluster.applications).host],
  ]),
];

/** Faults in the connection between a server or worker and its database. */
export const badLines: readonly FaultKind[] = [
  badLine('slow database connections', [5, 15], (random) => ({ kind: 'slow', ms: 20 + random.below(300) })),
  badLine('stalled database connections', [3, 15], () => ({ kind: 'stalled', way: 'both' })),
  badLine('database connections stalled towards the database', [3, 15], () => ({ kind: 'stalled', way: 'forth' })),
  badLine('database connections stalled towards the vault', [3, 15], () => ({ kind: 'stalled', way: 'back' })),
  badLine('database connections reset', [0, 5], () => ({ kind: 'reset' })),
  badLine('half-open database connections', [3, 15], () => ({ kind: 'half-open' })),
  {
    // The statements have taken effect, but their results are lost. New connections work immediately.
    name: 'responses of the database lost, then its connections reset',
    lastsSeconds: [0.5, 3],
    begin: (cluster, random) => {
      const node = random.pick(cluster.applications);
      node.setLine('database', { kind: 'stalled', way: 'back' });
      return Promise.resolve(() => {
        node.setLine('database', { kind: 'reset' });
        node.setLine('database', { kind: 'open' });
        return Promise.resolve();
      });
    },
  },
];

function hostsOf(nodes: readonly ApplicationNode[]): Host[] {
  return nodes.map(({ host }) => host);
}

async function cutBothWays(cluster: Cluster, one: Host, other: Host): Promise<void> {
  await cluster.network.cut(one, other);
  await cluster.network.cut(other, one);
}

function oneWay(
  name: string,
  choose: (cluster: Cluster, random: Random) => Promise<readonly (readonly [from: Host, to: Host])[]>,
): FaultKind {
  return {
    name,
    lastsSeconds: [5, 25],
    begin: async (cluster, random) => {
      for (const [from, to] of await choose(cluster, random)) await cluster.network.cut(from, to);
      return () => cluster.network.heal();
    },
  };
}

export function badLine(
  name: string,
  lastsSeconds: FaultKind['lastsSeconds'],
  stateFor: (random: Random) => LineState,
  line: LineName = 'database',
): FaultKind {
  return {
    name,
    lastsSeconds,
    begin: (cluster, random) => {
      const node = random.pick(cluster.applications);
      node.setLine(line, stateFor(random));
      return Promise.resolve(() => Promise.resolve(node.setLine(line, { kind: 'open' })));
    },
  };
}

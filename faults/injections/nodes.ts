import type { Random } from '../random.ts';
import type { Cluster } from '../stage/cluster.ts';
import { signalAll } from '../stage/host.ts';
import type { LineState } from '../stage/relay.ts';
import type { TokenNode } from '../stage/token-node.ts';
import { type FaultKind, type Heal, nothingToHeal } from './fault.ts';
import { jumpOf } from './machines.ts';
import { cutBothWays, oneWay } from './network.ts';

/** What happens to a node, while home and the other nodes go on. */
export const nodeFaults: readonly FaultKind[] = [
  onNode('kill -9 of PostgreSQL on a node', [1, 5], async (node) => {
    await node.signal('SIGKILL');
    return () => node.start();
  }),
  onNode('PostgreSQL on a node stopped', [3, 15], async ({ postgres }) => {
    await postgres.stop('SIGINT');
    return () => postgres.start();
  }),
  onNode('PostgreSQL on a node restarted', [0, 0], async ({ postgres }) => {
    await postgres.stop('SIGINT');
    await postgres.start();
  }),
  onNode('PostgreSQL on a node frozen', [3, 15], async ({ postgres }) => {
    const frozen = await postgres.family();
    signalAll(frozen, 'SIGSTOP');
    return () => Promise.resolve(signalAll(frozen, 'SIGCONT'));
  }),
  onNode('standby of a node takes its place', [0, 0], async (node) => {
    await node.failOver();
  }),
  onNode('standby of a node stopped', [3, 15], async ({ standby }) => {
    await standby.stop('SIGINT');
    return () => standby.start();
  }),
  onNode('machine of a node lost', [3, 15], async (node) => {
    await node.host.killAll();
    return () => node.start();
  }),
  onNode('disk of a node full', [3, 15], async ({ disk }) => {
    await disk.fill();
    return () => disk.free();
  }),
  onNode('fsync fails on a node', [3, 10], async ({ faults }) => {
    await faults.setFsyncFails(true);
    return () => faults.setFsyncFails(false);
  }),
  jumpOf('clock of a node jumps', (cluster, random) => Promise.resolve(nodeOf(cluster, random).faults)),
  onNode('node cut off from everybody', [3, 15], async ({ host }, { network }) => {
    await network.isolate(host);
    return () => network.heal();
  }),
  onNode('a server cut off from a node', [3, 15], async ({ host }, cluster, random) => {
    await cutBothWays(cluster, host, random.pick(cluster.applications).host);
    return () => cluster.network.heal();
  }),
  oneWay('what a server sends to a node is lost', (cluster, random) =>
    Promise.resolve([[random.pick(cluster.applications).host, nodeOf(cluster, random).host]]),
  ),
  oneWay('what a node sends to a server is lost', (cluster, random) =>
    Promise.resolve([[nodeOf(cluster, random).host, random.pick(cluster.applications).host]]),
  ),
  badNodeLine('slow connections to a node', [3, 15], (random) => ({ kind: 'slow', ms: 20 + random.below(300) })),
  badNodeLine('stalled connections to a node', [3, 15], () => ({ kind: 'stalled', way: 'both' })),
  badNodeLine('half-open connections to a node', [3, 15], () => ({ kind: 'half-open' })),
  badNodeLine('connections to a node reset', [0, 5], () => ({ kind: 'reset' })),
  // What was sent has happened, and nobody is told so.
  badNodeLine('responses of a node lost, then its connections reset', [0.5, 3], () => ({
    kind: 'stalled',
    way: 'back',
  })),
  onNode('transaction open for long on a node, which holds its sealing up', [5, 20], async (node) => {
    const client = await node.connect();
    await client.query('begin; select pg_current_xact_id()');
    client.on('error', () => undefined);
    return () => client.end().catch(() => undefined);
  }),
];

/** A node of the vault, for something to happen to. */
export function nodeOf(cluster: Cluster, random: Random): TokenNode {
  if (cluster.nodes.length === 0) throw new Error('There is no node to break: use --nodes.');
  return random.pick(cluster.nodes);
}

/** `begin` returns how it is undone, unless it is over already. */
function onNode(
  name: string,
  lastsSeconds: FaultKind['lastsSeconds'],
  begin: (node: TokenNode, cluster: Cluster, random: Random) => Promise<Heal | undefined>,
): FaultKind {
  return {
    name,
    lastsSeconds,
    begin: async (cluster, random) => (await begin(nodeOf(cluster, random), cluster, random)) ?? nothingToHeal,
  };
}

function badNodeLine(
  name: string,
  lastsSeconds: FaultKind['lastsSeconds'],
  stateFor: (random: Random) => LineState,
): FaultKind {
  return {
    name,
    lastsSeconds,
    begin: (cluster, random) => {
      const [application, { line }] = [random.pick(cluster.applications), nodeOf(cluster, random)];
      application.setLine(line, stateFor(random));
      return Promise.resolve(() => {
        // What has been held back is not sent on later: whoever waited has connected again.
        application.setLine(line, { kind: 'reset' });
        application.setLine(line, { kind: 'open' });
        return Promise.resolve();
      });
    },
  };
}

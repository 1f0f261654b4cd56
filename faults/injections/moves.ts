import type { Random } from '../random.ts';
import type { ApplicationNode } from '../stage/application-node.ts';
import type { Cluster } from '../stage/cluster.ts';
import { type FaultKind, nothingToHeal } from './fault.ts';
import { restart } from './operators.ts';

/** Tokens that change their database while clients use them. */
export const moveFaults: readonly FaultKind[] = [
  {
    name: 'drawers moved from one database to another',
    lastsSeconds: [0, 0],
    failsNobody: true,
    begin: async (cluster, random) => {
      const { application, words } = await planMove(cluster, random);
      await application.run(words);
      return nothingToHeal;
    },
  },
  {
    name: 'move of drawers killed, and completed later',
    lastsSeconds: [1, 4],
    begin: async (cluster, random) => {
      const { application, words } = await planMove(cluster, random);
      const mover = await application.host.start({ name: 'nodes-move', ...application.command(words) });
      return async () => {
        mover.kill('SIGKILL');
        await application.run(words);
      };
    },
  },
];

/** As the page about nodes says: added, then known to every process, then given drawers. */
export const addingNodes: FaultKind = {
  name: 'nodes added, and drawers moved to them',
  lastsSeconds: [0, 0],
  failsNobody: true,
  begin: async (cluster) => {
    await cluster.addNodes();
    for (const application of cluster.applications) await restart(cluster, application);
    await cluster.applications[0]?.run(['nodes', 'balance']);
    return nothingToHeal;
  },
};

const drawersPerMove = 200;

/** From the database that has the most drawers to any other. */
async function planMove(
  cluster: Cluster,
  random: Random,
): Promise<{ readonly application: ApplicationNode; readonly words: string[] }> {
  const application = random.pick(cluster.applications);
  const { nodes } = JSON.parse(await application.run(['nodes', 'list', '--json'])) as {
    nodes: { name: string; drawers: number }[];
  };
  const [from, ...others] = nodes.toSorted((one, other) => other.drawers - one.drawers);
  if (from === undefined || others.length === 0) throw new Error('There is no node to move drawers to: use --nodes.');
  const to = random.pick(others).name;
  return {
    application,
    words: ['nodes', 'move', '--from', from.name, '--to', to, '--drawers', String(drawersPerMove)],
  };
}

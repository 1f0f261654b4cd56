import { type FaultKind, nothingToHeal } from './fault.ts';
import { restart } from './operators.ts';

/**
 * Upgrades from the release that the vault was started with. It migrates the schema first, then restarts one machine at
 * a time.
 */
export function upgradeTo(main: string): FaultKind {
  return {
    name: 'rolling upgrade from the previous release',
    lastsSeconds: [0, 0],
    failsNobody: true,
    begin: async (cluster) => {
      for (const node of cluster.applications) node.main = main;
      await cluster.applications[0]?.run(['migrate']);
      for (const node of cluster.applications) await restart(cluster, node);
      return nothingToHeal;
    },
  };
}

import type { FaultKind } from './fault.ts';
import { clockFaults, diskFaults } from './machines.ts';
import { neighbourFaults } from './neighbours.ts';
import { addingNodes, moveFaults } from './moves.ts';
import { badLines, partitions } from './network.ts';
import { nodeFaults } from './nodes.ts';
import { operatorFaults, restoreFault } from './operators.ts';
import { machineFaults, processFaults } from './processes.ts';

/** Every way in which the suite breaks a vault with one database. */
const catalogue: readonly FaultKind[] = [
  ...processFaults,
  ...machineFaults,
  ...partitions,
  ...badLines,
  ...diskFaults,
  ...clockFaults,
  ...neighbourFaults,
  ...operatorFaults,
];

const nodeCatalogue: readonly FaultKind[] = [...nodeFaults, ...moveFaults];

/** What can happen to a vault with so many nodes. Backups of all databases together are not part of the stage. */
export function listFaults(nodes: number): readonly FaultKind[] {
  return nodes === 0 ? catalogue : [...catalogue.filter(({ name }) => name !== restoreFault), ...nodeCatalogue];
}

export function findFault(name: string): FaultKind {
  const kind = [...catalogue, ...nodeCatalogue, addingNodes].find((known) => known.name === name);
  if (kind === undefined) throw new Error(`There is no fault "${name}".`);
  return kind;
}

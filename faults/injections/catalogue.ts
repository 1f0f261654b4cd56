import type { FaultKind } from './fault.ts';
import { clockFaults, diskFaults } from './machines.ts';
import { neighbourFaults } from './neighbours.ts';
import { badLines, partitions } from './network.ts';
import { operatorFaults } from './operators.ts';
import { machineFaults, processFaults } from './processes.ts';

/** All kinds of faults that the suite injects. */
export const catalogue: readonly FaultKind[] = [
  ...processFaults,
  ...machineFaults,
  ...partitions,
  ...badLines,
  ...diskFaults,
  ...clockFaults,
  ...neighbourFaults,
  ...operatorFaults,
];

export function findFault(name: string): FaultKind {
  const kind = catalogue.find((known) => known.name === name);
  if (kind === undefined) throw new Error(`There is no fault "${name}".`);
  return kind;
}

import type { Injected } from '../injections/injected.ts';
import type { Entry } from '../load/history.ts';
import type { Tenant } from '../load/tenant.ts';
import type { Cluster } from '../stage/cluster.ts';
import type { FinalState } from './final-state.ts';

/** All that is known when everything has healed. */
export interface Evidence {
  readonly entries: readonly Entry[];
  readonly injected: readonly Injected[];
  readonly state: FinalState;
  readonly cluster: Cluster;
  readonly tenant: Tenant;
  /** Begins every value that was stored. */
  readonly marker: string;
  /** How much slower than usual the machine was in a time: limits are longer by that. */
  readonly slowness: (from: number, to: number) => number;
  /** For what is worth knowing and no finding. */
  readonly say: (line: string) => void;
  /** What still waited long after everything had healed. */
  readonly stuck: readonly string[];
}

/** Something that must hold whatever was broken. */
export interface Check {
  readonly name: string;
  /** What does not; nothing if all is well. */
  readonly run: (evidence: Evidence) => readonly string[] | Promise<readonly string[]>;
}

/** The check that complains if a round breaks off, or a fault cannot be injected or healed. */
export const wholeRounds = 'every fault is injected, and every round comes to its end';

/** What a check found, with a few examples of many. */
export interface Finding {
  readonly check: string;
  readonly what: string;
}

const examplesMax = 5;

export async function runCheck({ name, run }: Check, evidence: Evidence): Promise<Finding[]> {
  const complaints = await run(evidence);
  const shown = complaints.slice(0, examplesMax);
  const more = complaints.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].map((what) => ({ check: name, what }));
}

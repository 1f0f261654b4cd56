import type { Injected } from '../injections/injected.ts';
import type { Entry } from '../load/history.ts';
import type { Tenant } from '../load/tenant.ts';
import type { Cluster } from '../stage/cluster.ts';
import type { FinalState } from './final-state.ts';

/** Everything that the checks have to go on after the cluster has healed. */
export interface Evidence {
  readonly entries: readonly Entry[];
  readonly injected: readonly Injected[];
  readonly state: FinalState;
  readonly cluster: Cluster;
  readonly tenant: Tenant;
  /** The prefix of every stored value. */
  readonly marker: string;
  /**
   * Returns how many times slower than usual the machine was in a time range. Time limits are multiplied by this
   * factor.
   */
  readonly slowness: (from: number, to: number) => number;
  /** Prints useful information that is not a finding. */
  readonly say: (line: string) => void;
  /** Work that was still pending long after everything had healed. */
  readonly stuck: readonly string[];
}

/** An invariant that must hold regardless of the fault. */
export interface Check {
  readonly name: string;
  /** Returns violations of the invariant, or an empty list. */
  readonly run: (evidence: Evidence) => readonly string[] | Promise<readonly string[]>;
}

/** The name of the check that fails if a round is cut short, or if a fault cannot be injected or healed. */
export const wholeRounds = 'every fault is injected, and every round comes to its end';

/** The finding of a check, with a few examples if there are many. */
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

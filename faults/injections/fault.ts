import type { Random } from '../random.ts';
import type { Cluster } from '../stage/cluster.ts';

/** Repairs a fault, as an operator or an init system would. */
export type Heal = () => Promise<void>;

/** A kind of fault. */
export interface FaultKind {
  /** The name used in the documentation. */
  readonly name: string;
  /** The shortest and longest duration in seconds. Zero for a fault that is over immediately. */
  readonly lastsSeconds: readonly [least: number, most: number];
  /** Set if clocks disagree during the fault, so that exact expiry times are unknown. */
  readonly makesTimeUnclear?: true;
  /** Set if no client may notice the fault. */
  readonly failsNobody?: true;
  readonly begin: (cluster: Cluster, random: Random) => Promise<Heal>;
}

/** The heal function of faults that need no repair. */
export const nothingToHeal: Heal = () => Promise.resolve();

import type { Random } from '../random.ts';
import type { Cluster } from '../stage/cluster.ts';

/** Undoes what was broken, as an operator or an init system would. */
export type Heal = () => Promise<void>;

/** One way in which things break. */
export interface FaultKind {
  /** As it is called in the documentation. */
  readonly name: string;
  /** How long it lasts, in seconds; what happens at once and is over lasts no time. */
  readonly lastsSeconds: readonly [least: number, most: number];
  /** Whether clocks disagree while it lasts: then nobody can say exactly when something expires. */
  readonly makesTimeUnclear?: true;
  /** Whether no client may notice it. */
  readonly failsNobody?: true;
  readonly begin: (cluster: Cluster, random: Random) => Promise<Heal>;
}

/** For what is over as soon as it has happened. */
export const nothingToHeal: Heal = () => Promise.resolve();

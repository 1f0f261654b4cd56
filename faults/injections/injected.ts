/** A fault as it was: from when it began until everything was healthy again, or nobody waited any longer, in milliseconds. */
export interface Injected {
  readonly name: string;
  readonly beganAt: number;
  readonly healthyAt: number;
  readonly isHealthy: boolean;
  /** Why it could not be injected, or not healed, if so. */
  readonly trouble?: string;
  /** What an operator had to do. */
  readonly acts: readonly string[];
  readonly failsNobody: boolean;
  readonly makesTimeUnclear: boolean;
}

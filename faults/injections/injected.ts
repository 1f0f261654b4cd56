/**
 * An injected fault. Times are in milliseconds. The fault ends when everything is healthy again, or when waiting for
 * that is given up.
 */
export interface Injected {
  readonly name: string;
  readonly beganAt: number;
  readonly healthyAt: number;
  readonly isHealthy: boolean;
  /** The reason why the fault could not be injected or healed, if any. */
  readonly trouble?: string;
  /** The actions that an operator had to take. */
  readonly acts: readonly string[];
  readonly failsNobody: boolean;
  readonly makesTimeUnclear: boolean;
}

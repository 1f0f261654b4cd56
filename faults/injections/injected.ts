/**
 * An injected fault. Times are in milliseconds, from its start until everything was healthy again or the wait was given
 * up.
 */
export interface Injected {
  readonly name: string;
  readonly beganAt: number;
  readonly healthyAt: number;
  readonly isHealthy: boolean;
  /** The reason why it could not be injected or healed, if any. */
  readonly trouble?: string;
  /** The actions that an operator had to take. */
  readonly acts: readonly string[];
  readonly failsNobody: boolean;
  readonly makesTimeUnclear: boolean;
}

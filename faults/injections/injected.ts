/** A fault as it was: from when it began until everything was healthy again, in milliseconds. */
export interface Injected {
  readonly name: string;
  readonly beganAt: number;
  readonly healthyAt: number;
  readonly failsNobody: boolean;
  readonly makesTimeUnclear: boolean;
}

/** What the vault can tell about one part of what it stands on. */
export interface GroundFinding {
  readonly name: string;
  /** `unknown` if this login, or this machine, cannot see it; the detail says why. */
  readonly verdict: 'ok' | 'warn' | 'fail' | 'unknown';
  readonly detail: string;
  /** What no longer holds, or cannot be vouched for. Missing if all is well. */
  readonly promise?: string;
  readonly remedy?: string;
}

/** What the settings of the vault say about the ground. */
export interface GroundExpectations {
  readonly requiresStandby: boolean;
  /** `STRONGROOM_DATABASE_CONNECTIONS`. */
  readonly connectionsMax: number;
}

export function ok(name: string, detail: string): GroundFinding {
  return { name, verdict: 'ok', detail };
}

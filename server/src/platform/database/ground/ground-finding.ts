/** The result of one check of the database's configuration or machine. */
export interface GroundFinding {
  readonly name: string;
  /** `unknown` if this login or this machine cannot see the value. The detail says why. */
  readonly verdict: 'ok' | 'warn' | 'fail' | 'unknown';
  readonly detail: string;
  /** The guarantee that no longer holds or cannot be confirmed. Absent if the check passed. */
  readonly promise?: string;
  readonly remedy?: string;
}

/** The vault's settings that the checks compare the database with. */
export interface GroundExpectations {
  readonly requiresStandby: boolean;
  /** `STRONGROOM_DATABASE_CONNECTIONS`. */
  readonly connectionsMax: number;
}

export function ok(name: string, detail: string): GroundFinding {
  return { name, verdict: 'ok', detail };
}

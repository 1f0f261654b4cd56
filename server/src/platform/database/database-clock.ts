/**
 * The database's clock. All servers share it, so differences between their own clocks do not matter. Tests advance it.
 */
export interface DatabaseClock {
  readonly aheadSeconds: number;
}

export const databaseClock: DatabaseClock = { aheadSeconds: 0 };

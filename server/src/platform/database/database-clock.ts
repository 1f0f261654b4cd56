/** Uses the database's clock, which all servers share, so that no single server can be wrong. Tests advance it. */
export interface DatabaseClock {
  readonly aheadSeconds: number;
}

export const databaseClock: DatabaseClock = { aheadSeconds: 0 };

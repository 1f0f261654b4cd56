/** The database's clock. All servers share it, so no single server can be wrong. Tests advance it. */
export interface DatabaseClock {
  readonly aheadSeconds: number;
}

export const databaseClock: DatabaseClock = { aheadSeconds: 0 };

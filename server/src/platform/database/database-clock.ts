/** Time is that of the database, which all servers share, so that none of them can be wrong on its own. Tests put it forward. */
export interface DatabaseClock {
  readonly aheadSeconds: number;
}

export const databaseClock: DatabaseClock = { aheadSeconds: 0 };

/** The most common faults. A round with all of them takes a few minutes. */
export const shortForm: readonly string[] = [
  'kill -9 of the primary PostgreSQL',
  'kill -9 of a server',
  'stalled database connections',
  'half-open database connections',
  'machine of a standby lost',
  'Redis killed',
  'mail server away',
  'rolling restart of servers and workers',
];

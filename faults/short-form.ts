/** What happens most, in a few minutes. */
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

/** The same for a vault that gets nodes under load. Not for CI: what a broken node leaves prepared is ended after a minute or two. */
export const shortFormWithNodes: readonly string[] = [
  'nodes added, and drawers moved to them',
  'kill -9 of PostgreSQL on a node',
  'node cut off from everybody',
  'responses of a node lost, then its connections reset',
  'drawers moved from one database to another',
  'kill -9 of the primary PostgreSQL',
  'move of drawers killed, and completed later',
];

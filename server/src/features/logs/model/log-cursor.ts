import type { LogCursor } from './log.ts';

const lowestId = '00000000-0000-0000-0000-000000000000';

/** Leads on to everything before a time. */
export function cursorAt(time: Date): LogCursor {
  return { createdAt: time, id: lowestId };
}

/** What follows a cursor lies before this, in milliseconds since 1970. */
export function endOf(after: LogCursor | undefined): number {
  if (after === undefined) return Number.POSITIVE_INFINITY;
  // Others of the same millisecond may follow a record, but nothing of it follows `cursorAt`.
  return after.createdAt.getTime() + (after.id === lowestId ? 0 : 1);
}

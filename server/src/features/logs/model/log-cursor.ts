import type { LogCursor } from './log.ts';

const lowestId = '00000000-0000-0000-0000-000000000000';

/** Returns a cursor that continues with everything before a time. */
export function cursorAt(time: Date): LogCursor {
  return { createdAt: time, id: lowestId };
}

/** Returns an exclusive upper bound, in milliseconds since 1970, for the times of all records after the cursor. */
export function endOf(after: LogCursor | undefined): number {
  if (after === undefined) return Number.POSITIVE_INFINITY;
  // Other records of the same millisecond may follow the record of a cursor, but not a cursor from `cursorAt`.
  return after.createdAt.getTime() + (after.id === lowestId ? 0 : 1);
}

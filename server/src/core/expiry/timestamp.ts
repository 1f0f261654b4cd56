import { TimestampScanner } from './timestamp-scanner.ts';

export interface Timestamp {
  readonly instant: Date;
  /** The offset from UTC; positive to the east, and zero if the text has no offset. */
  readonly offsetMinutes: number;
  /** The smallest unit that the text contains. */
  readonly unit: 'day' | 'minute' | 'second' | 'millisecond';
}

/** Parses ISO 8601 with a calendar date: `2030-08-26`, `2030-08-26T19:23:57.5-07:00`. A space may replace the T. */
export function parseIsoTimestamp(text: string): Timestamp | undefined {
  const scanner = new TimestampScanner(text);
  const year = scanner.number(4, 4);
  scanner.expect('-');
  const month = scanner.number(2, 2);
  scanner.expect('-');
  const day = scanner.number(2, 2);
  const fields = { ...midnight, year, month, day };
  if (scanner.isAtEnd) return toTimestamp(scanner, fields);

  scanner.expect('Tt ');
  const time = scanTime(scanner, 2);
  return toTimestamp(scanner, { ...fields, ...time, offset: scanOffset(scanner) });
}

/** Parses the month-first spelling of .NET: `8/26/2030`, `8/26/2030 7:23:57 PM -07:00`, `08/26/2030 19:23:57`. */
export function parseMonthFirstTimestamp(text: string): Timestamp | undefined {
  const scanner = new TimestampScanner(text);
  const month = scanner.number(1, 2);
  scanner.expect('/');
  const day = scanner.number(1, 2);
  scanner.expect('/');
  const year = scanner.number(4, 4);
  const fields = { ...midnight, year, month, day };
  if (scanner.isAtEnd) return toTimestamp(scanner, fields);

  scanner.expect(' ');
  const time = scanTime(scanner, 1);
  // .NET has written a narrow no-break space before the designator since its locale data switched to CLDR 42.
  const gap = scanner.accept(' \u202f');
  const designator = scanner.accept('AaPp');
  if (designator === undefined) {
    const offset = gap === undefined ? scanOffset(scanner) : scanNamedOffset(scanner);
    return toTimestamp(scanner, { ...fields, ...time, offset });
  }
  scanner.expect('Mm');
  const hour = to24Hour(time.hour, designator);
  return toTimestamp(scanner, { ...fields, ...time, hour, offset: scanOffset(scanner) });
}

interface TimestampFields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  readonly offset: Offset;
  readonly unit: Timestamp['unit'];
}

interface Offset {
  readonly sign: 1 | -1;
  readonly hours: number;
  readonly minutes: number;
}

const utc: Offset = { sign: 1, hours: 0, minutes: 0 };
const midnight = { hour: 0, minute: 0, second: 0, millisecond: 0, offset: utc, unit: 'day' } as const;
// The largest offset in use is UTC+14. No offset is further from UTC in either direction.
const offsetMinutesMax = 14 * 60;

function scanTime(scanner: TimestampScanner, hourDigitsMin: number) {
  const hour = scanner.number(hourDigitsMin, 2);
  scanner.expect(':');
  const minute = scanner.number(2, 2);
  if (scanner.accept(':') === undefined) return { hour, minute, second: 0, millisecond: 0, unit: 'minute' as const };

  const second = scanner.number(2, 2);
  if (scanner.accept('.') === undefined) return { hour, minute, second, millisecond: 0, unit: 'second' as const };

  // Clients send fractions down to nanoseconds, but a Date only holds milliseconds.
  const millisecond = Number(scanner.digits(1, 9).padEnd(3, '0').slice(0, 3));
  return { hour, minute, second, millisecond, unit: 'millisecond' as const };
}

function scanOffset(scanner: TimestampScanner): Offset {
  if (scanner.isAtEnd) return utc;
  scanner.accept(' ');
  return scanNamedOffset(scanner);
}

function scanNamedOffset(scanner: TimestampScanner): Offset {
  if (scanner.accept('Zz') !== undefined) return utc;

  const sign = scanner.accept('-') === undefined ? 1 : -1;
  if (sign === 1) scanner.expect('+');
  const hours = scanner.number(2, 2);
  if (scanner.isAtEnd) return { sign, hours, minutes: 0 };
  scanner.accept(':');
  return { sign, hours, minutes: scanner.number(2, 2) };
}

/** Returns NaN for an hour outside the twelve-hour clock, so that it is rejected with other invalid values. */
function to24Hour(hour: number, designator: string): number {
  if (hour < 1 || hour > 12) return Number.NaN;
  return (hour % 12) + ('Pp'.includes(designator) ? 12 : 0);
}

function toTimestamp(scanner: TimestampScanner, fields: TimestampFields): Timestamp | undefined {
  if (!scanner.matchedAll || !isOnCalendar(fields) || !isOnClock(fields)) return undefined;

  const { sign, hours, minutes } = fields.offset;
  const distanceMinutes = hours * 60 + minutes;
  if (minutes > 59 || distanceMinutes > offsetMinutesMax) return undefined;

  // Multiplying sign and distance would give negative zero for UTC written as -00:00.
  const offsetMinutes = sign === 1 || distanceMinutes === 0 ? distanceMinutes : -distanceMinutes;
  const instant = toUtcDate(fields.year, fields.month, fields.day);
  instant.setUTCHours(fields.hour, fields.minute - offsetMinutes, fields.second, fields.millisecond);
  return { instant, offsetMinutes, unit: fields.unit };
}

function isOnCalendar({ year, month, day }: TimestampFields): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  // Day 0 of the next month is the last day of this one.
  return day <= toUtcDate(year, month + 1, 0).getUTCDate();
}

function isOnClock({ hour, minute, second }: TimestampFields): boolean {
  return hour >= 0 && hour <= 23 && minute <= 59 && second <= 59;
}

/** Avoids `Date.UTC`, which reads the years 0 to 99 as 1900 to 1999. */
function toUtcDate(year: number, month: number, day: number): Date {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date;
}

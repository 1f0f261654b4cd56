import { withinTime } from './within-time.ts';

/** The time after which a scrape stops waiting for a database that does not respond. */
export const scrapeTimeoutMs = 1_000;

/** Waits for a value that a gauge reports, but not longer than a scrape can wait. */
export function withinScrape<T>(reading: Promise<T>, message = 'The database did not respond in time.'): Promise<T> {
  return withinTime(reading, scrapeTimeoutMs, message);
}

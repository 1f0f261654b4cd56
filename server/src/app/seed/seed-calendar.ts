import type { SeededRandom } from '../../core/random/seeded-random.ts';

const dayMs = 24 * 60 * 60_000;
const hourMs = 60 * 60_000;
/** The length of the quiet period before now, so that all new activity comes after the seeded activity. */
const quietMs = 60_000;

/** Weights for each hour of the day (UTC), and how busy a weekend day is compared with a weekday. */
export interface Rhythm {
  readonly hours: Readonly<Record<number, number>>;
  readonly weekend: number;
}

/** The rhythm of office hours. */
export const officeRhythm: Rhythm = {
  hours: { 7: 2, 8: 6, 9: 10, 10: 11, 11: 9, 12: 5, 13: 8, 14: 10, 15: 9, 16: 7, 17: 3, 18: 1 },
  weekend: 0.1,
};
/** The rhythm of customers, who shop mostly in the evening. */
export const shopRhythm: Rhythm = {
  hours: {
    5: 1,
    6: 2,
    7: 4,
    8: 5,
    9: 5,
    10: 6,
    11: 6,
    12: 8,
    13: 6,
    14: 5,
    15: 5,
    16: 6,
    17: 8,
    18: 10,
    19: 12,
    20: 11,
    21: 7,
    22: 3,
  },
  weekend: 1.2,
};
/** The rhythm of a job that runs every night. */
export const nightRhythm: Rhythm = { hours: { 2: 1 }, weekend: 1 };

/** A period of days that ends now. */
export class SeedCalendar {
  readonly startsAt: Date;
  readonly #endsAt: Date;
  readonly #days: number;
  readonly #random: SeededRandom;

  constructor(parts: { now: Date; days: number; random: SeededRandom }) {
    this.#endsAt = parts.now;
    this.#days = parts.days;
    this.#random = parts.random;
    this.startsAt = new Date(parts.now.getTime() - parts.days * dayMs);
  }

  /** Returns times, in order, for something that happens about `perDay` times on a weekday. */
  moments(perDay: number, rhythm: Rhythm): Date[] {
    const found: Date[] = [];
    for (let day = 0; day <= this.#days; day += 1) {
      const midnight = this.#midnight(day);
      const expected = perDay * (isWeekend(midnight) ? rhythm.weekend : 1) * (0.75 + this.#random.next() / 2);
      const count = Math.floor(expected) + (this.#random.chance(expected % 1) ? 1 : 0);
      for (let index = 0; index < count; index += 1) found.push(this.#within(midnight, rhythm));
    }
    return this.#keepPast(found);
  }

  /** Returns a fixed time of a day, counted back from today. */
  at(daysAgo: number, hours: number, minutes: number): Date {
    return new Date(this.#midnight(this.#days - daysAgo).getTime() + hours * hourMs + minutes * 60_000);
  }

  #midnight(day: number): Date {
    const at = new Date(this.startsAt.getTime() + day * dayMs);
    return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()));
  }

  /**
   * Returns a random time on a day. It is never in the last hour, because a request must end in the same month in which
   * it began.
   */
  #within(midnight: Date, { hours }: Rhythm): Date {
    const entries = Object.entries(hours);
    let left = this.#random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    const [hour] = entries.find(([, weight]) => (left -= weight) < 0) ?? entries[0] ?? ['0'];
    return new Date(midnight.getTime() + Number(hour) * hourMs + this.#random.below(hourMs));
  }

  #keepPast(moments: readonly Date[]): Date[] {
    const [from, to] = [this.startsAt.getTime() + hourMs, this.#endsAt.getTime() - quietMs];
    return moments.filter((at) => at.getTime() >= from && at.getTime() < to).sort((a, b) => a.getTime() - b.getTime());
  }
}

function isWeekend(day: Date): boolean {
  return day.getUTCDay() === 0 || day.getUTCDay() === 6;
}

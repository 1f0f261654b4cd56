import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../core/random/seeded-random.ts';
import { passesLuhn } from '../../core/token-types/field-checks.ts';
import { defaultThresholds } from '../../platform/audit/watch/alert-rule.ts';
import { SeedCalendar } from './seed-calendar.ts';
import { createCustomers } from './seed-customers.ts';
import { createSeedPlan, type SeedPlan } from './seed-plan.ts';

const dayMs = 24 * 60 * 60_000;

function plan(now: Date): { plan: SeedPlan; customers: ReturnType<typeof createCustomers> } {
  const random = new SeededRandom(7);
  const calendar = new SeedCalendar({ now, days: 30, random });
  const customers = createCustomers(200, now.getUTCFullYear(), random);
  return {
    plan: createSeedPlan({ customers, calendar, random, acquirerUrl: 'https://api.acquirer.example:1' }),
    customers,
  };
}

// These are the first day of a month, the middle of a month, a leap day, and just past midnight on New Year's Day.
const days = ['2026-11-01T09:00:00Z', '2027-06-17T16:20:00Z', '2028-02-29T23:59:59Z', '2027-01-01T00:00:10Z'];

describe.each(days.map((day) => new Date(day)))('a month that ends at %s', (now) => {
  const { plan: made, customers } = plan(now);
  const { requests } = made;

  it('is the same every time', () => {
    expect(plan(now)).toEqual({ plan: made, customers });
  });

  it('is past, in order, and long enough', () => {
    const times = requests.map(({ at }) => at.getTime());
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(now.getTime() - 30 * dayMs);
    expect(times.at(-1)).toBeLessThan(now.getTime());
    expect(requests.length).toBeGreaterThan(1_200);
  });

  it('has days and nights, weeks and weekends', () => {
    const desk = requests.filter(
      ({ application, address }) => application === 'Support desk' && address !== '203.0.113.77',
    );
    const isWeekend = ({ at }: { at: Date }) => [0, 6].includes(at.getUTCDay());
    expect(desk.filter(isWeekend).length).toBeLessThan(desk.length / 10);
    expect(desk.every(({ at }) => at.getUTCHours() >= 7 && at.getUTCHours() < 19)).toBe(true);
    // A request must end in the same month in which it began.
    expect(requests.every(({ at }) => at.getUTCHours() < 23)).toBe(true);
  });

  it('asks for nobody before they came, nor after they were forgotten', () => {
    const created = new Map<unknown, Date>();
    for (const { phase, at, body } of requests) {
      if (phase === 'create') created.set((body as { id: unknown }).id, at);
    }
    const forgotten = requests.filter(({ phase }) => phase === 'delete').map(({ path }) => path);
    expect(new Set(forgotten).size).toBe(forgotten.length);
    for (const { phase, at, path, status } of requests) {
      if (phase === 'create' || !path.startsWith('/tokens/') || status === 404) continue;
      const id = path.slice('/tokens/'.length);
      if (id !== 'search') expect(created.get(id)?.getTime()).toBeLessThan(at.getTime());
      if (phase !== 'delete') expect(forgotten).not.toContain(path);
    }
  });

  it('has an incident that raises an alert by the rules', () => {
    const { windowMinutes, misses } = defaultThresholds;
    const tried = requests.filter(({ address }) => address === '203.0.113.77').map(({ at }) => at.getTime());
    const windows = new Set(tried.map((time) => Math.floor(time / (windowMinutes * 60_000))));
    expect(tried.length).toBeGreaterThanOrEqual(misses);
    const { windowFrom, alertAt, rotatedAt } = made.incident;
    expect([...windows]).toEqual([windowFrom.getTime() / (windowMinutes * 60_000)]);
    expect(alertAt.getTime()).toBeGreaterThan(tried[misses - 1] ?? 0);
    expect(rotatedAt.getTime()).toBeGreaterThan(alertAt.getTime());
  });

  it('uses only cards that no bank has issued, each once, that have not expired', () => {
    const numbers = customers.map(({ card }) => card.number);
    expect(new Set(numbers).size).toBe(200);
    expect(numbers.every(passesLuhn)).toBe(true);
    expect(numbers.every((number) => /^(?:424242|400005|555555|222300|378282|601111)/.test(number))).toBe(true);
    expect(customers.every(({ card }) => card.expiration_year > now.getUTCFullYear())).toBe(true);
  });
});

import type { Transaction } from '../database.ts';
import { type GroundFinding, ok } from './ground-finding.ts';

export interface ClockReading {
  /** Positive if the database's clock is ahead of this machine's clock. */
  readonly offsetSeconds: number;
  /** The maximum error of the offset: half of the fastest round trip. */
  readonly uncertaintySeconds: number;
}

const name = 'clock';
const samples = 3;
const warnSeconds = 1;
const failSeconds = 5;

/**
 * Compares the database's clock with this machine's. The database read its clock at some time between sending and
 * receiving, so the shortest round trip gives the most precise offset.
 */
export async function readClock(tx: Transaction): Promise<ClockReading> {
  const readings: ClockReading[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    const askedAt = Date.now();
    const [row] = await tx.query<{ ms: number }>({
      name: 'clock',
      text: 'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
    });
    readings.push(toReading({ askedAt, answeredAt: Date.now(), databaseMs: row?.ms ?? Number.NaN }));
  }
  return readings.reduce((best, next) => (next.uncertaintySeconds < best.uncertaintySeconds ? next : best));
}

export function toReading(times: {
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly databaseMs: number;
}): ClockReading {
  const { askedAt, answeredAt, databaseMs } = times;
  return {
    offsetSeconds: (databaseMs - (askedAt + answeredAt) / 2) / 1_000,
    uncertaintySeconds: (answeredAt - askedAt) / 2_000,
  };
}

export function checkClock({ clock }: { readonly clock: ClockReading }): GroundFinding {
  const { offsetSeconds, uncertaintySeconds } = clock;
  // An offset that a slow response may explain does not count as a clock error.
  const certainSeconds = Math.abs(offsetSeconds) - uncertaintySeconds;
  const how = `${Math.abs(offsetSeconds).toFixed(3)} s ± ${uncertaintySeconds.toFixed(3)} s`;
  if (certainSeconds < warnSeconds) return ok(name, `agrees with the database (${how})`);
  return {
    name,
    verdict: certainSeconds < failSeconds ? 'warn' : 'fail',
    detail: `the database is ${how} ${offsetSeconds > 0 ? 'ahead of' : 'behind'} this machine`,
    promise:
      'tokens, sessions and one-time codes expire when they should, and log lines and audit records tell the same time',
    remedy: 'check NTP on both machines',
  };
}

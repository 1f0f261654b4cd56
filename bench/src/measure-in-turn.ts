import { median, percentile } from './median.ts';
import type { GrowthRow } from './results.ts';

/** Rounds that fill caches and compile code. They are not counted. */
const warmUp = 20;

export type Operations<Subject> = Readonly<Record<string, (subject: Subject) => Promise<unknown>>>;

/** Runs every operation on all subjects in turn, smallest first, so that a disturbance affects all of them. */
export async function measureInTurn<Subject>(
  subjects: readonly Subject[],
  operations: Operations<Subject>,
  rounds: number,
): Promise<GrowthRow[]> {
  const rows: GrowthRow[] = [];
  for (const [operation, ask] of Object.entries(operations)) {
    const times = subjects.map(() => [] as number[]);
    for (let round = -warmUp; round < rounds; round += 1) {
      for (const [index, subject] of subjects.entries()) {
        const startedAt = performance.now();
        await ask(subject);
        if (round >= 0) times[index]?.push(performance.now() - startedAt);
      }
    }
    const ms = times.map(median);
    const row = {
      operation,
      ms,
      p99Ms: times.map((one) => percentile(one, 0.99)),
      ratio: (ms.at(-1) ?? Number.NaN) / (ms[0] ?? Number.NaN),
    };
    rows.push(row);
    process.stderr.write(`${toLine(row)}\n`);
  }
  return rows;
}

function toLine({ operation, ms, ratio }: GrowthRow): string {
  return `${operation.padEnd(24)} ${ms.map((one) => one.toFixed(2)).join(' → ')} ms  ${ratio.toFixed(2)}×`;
}

import { parseArgs } from 'node:util';
import type pg from 'pg';
import { BenchVault } from './bench-vault.ts';
import { median } from './median.ts';
import { printFigures } from './print-figures.ts';
import { untilSealed } from './until-sealed.ts';
import { runWrk } from './wrk.ts';

/*
 * Measures the cost of sealing the audit log. A server creates cards at full load, alternately with and without a
 * worker that seals. Prints the ratio of the rates, and the age of records when they were sealed.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '12' },
    json: { type: 'boolean', default: false },
  },
});
const vault = await BenchVault.start('apart');

/** Returns creates per second. */
async function load(seconds: number): Promise<number> {
  return (await runWrk(vault, { script: 'create-card', connections: 64, seconds })).perSecond;
}

/** Returns the age of records when they were sealed, for records written since `start`. */
async function lagSince(client: pg.Client, start: Date): Promise<{ p50: number; p99: number; max: number }> {
  const { rows } = await client.query<{ p50: number; p99: number; max: number }>(
    `select percentile_cont(0.5) within group (order by lag) as p50, percentile_cont(0.99) within group (order by lag) as p99, max(lag)
      from (select extract(epoch from c.sealed_at - r.created_at)::float8 as lag from audit_records r cross join lateral (
          select sealed_at from audit_checkpoints c where c.tenant_id = r.tenant_id and c.order_to > r.sealing_order order by c.order_to limit 1) c
        where r.created_at >= $1) lags`,
    [start],
  );
  return rows[0] ?? { p50: Number.NaN, p99: Number.NaN, max: Number.NaN };
}

await load(5);
const rates: { on: number[]; off: number[] } = { on: [], off: [] };
const lags: Awaited<ReturnType<typeof lagSince>>[] = [];
for (let round = 0; round < Number(values.rounds); round += 1) {
  rates.off.push(await load(Number(values.seconds)));
  const worker = await vault.startWorker();
  await untilSealed(vault);
  const { rows } = await vault.withDatabase((client) => client.query<{ now: Date }>('select now()'));
  rates.on.push(await load(Number(values.seconds)));
  await untilSealed(vault);
  lags.push(await vault.withDatabase((client) => lagSince(client, rows[0]?.now ?? new Date())));
  await worker.stop();
}
const result = {
  creates_per_second_without: median(rates.off),
  creates_per_second_with: median(rates.on),
  ratio: median(rates.on) / median(rates.off),
  lag_p50_s: median(lags.map(({ p50 }) => p50)),
  lag_p99_s: Math.max(...lags.map(({ p99 }) => p99)),
  lag_max_s: Math.max(...lags.map(({ max }) => max)),
};
await vault.stop();
printFigures(result, values.json);

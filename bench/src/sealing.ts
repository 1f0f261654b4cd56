import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { BenchVault } from './bench-vault.ts';
import { median } from './median.ts';

/*
 * What does sealing the audit log cost? A server creates cards as fast as it can, in turn with a worker that seals and
 * without one. Prints the ratio of the rates, and how old records were when they were sealed.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '12' },
    json: { type: 'boolean', default: false },
  },
});
const run = promisify(execFile);
const program = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));
const script = fileURLToPath(new URL('./create-card.lua', import.meta.url));

const vault = await BenchVault.start('apart');
const client = new pg.Client({ connectionString: vault.postgres.url });
await client.connect();

async function startWorker(): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [program, 'work', '--json'], {
    env: { ...process.env, ...vault.settings, STRONGROOM_WORKER_ADMIN_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface({ input: worker.stdout }), 'line');
  return worker;
}

async function stopProcess(process: ChildProcess): Promise<void> {
  process.kill('SIGTERM');
  await once(process, 'exit');
}

/** Creates a second. */
async function load(seconds: string): Promise<number> {
  const { stdout } = await run('wrk', ['-t1', '-c64', `-d${seconds}s`, '-s', script, `${vault.url}/tokens`], {
    env: { ...process.env, BENCH_KEY: vault.key },
  });
  if (/Non-2xx/.test(stdout)) throw new Error(`Some creates failed:\n${stdout}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}

async function untilSealed(): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ waiting: boolean }>(
      `select exists (select from audit_records, audit_sealing where sealing_order >= sealed_to) as waiting`,
    );
    if (rows[0]?.waiting !== true) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Age of records when they were sealed, of those written since then. */
async function lagSince(start: Date): Promise<{ p50: number; p99: number; max: number }> {
  const { rows } = await client.query<{ p50: number; p99: number; max: number }>(
    `select percentile_cont(0.5) within group (order by lag) as p50, percentile_cont(0.99) within group (order by lag) as p99, max(lag)
      from (select extract(epoch from c.sealed_at - r.created_at)::float8 as lag from audit_records r cross join lateral (
          select sealed_at from audit_checkpoints c where c.tenant_id = r.tenant_id and c.order_to > r.sealing_order order by c.order_to limit 1) c
        where r.created_at >= $1) lags`,
    [start],
  );
  return rows[0] ?? { p50: Number.NaN, p99: Number.NaN, max: Number.NaN };
}

await load('5');
const rates: { on: number[]; off: number[] } = { on: [], off: [] };
const lags = [];
for (let round = 0; round < Number(values.rounds); round += 1) {
  rates.off.push(await load(values.seconds));
  const worker = await startWorker();
  await untilSealed();
  const { rows } = await client.query<{ now: Date }>('select now()');
  rates.on.push(await load(values.seconds));
  await untilSealed();
  lags.push(await lagSince(rows[0]?.now ?? new Date()));
  await stopProcess(worker);
}
const result = {
  creates_per_second_without: median(rates.off),
  creates_per_second_with: median(rates.on),
  ratio: median(rates.on) / median(rates.off),
  lag_p50_s: median(lags.map(({ p50 }) => p50)),
  lag_p99_s: Math.max(...lags.map(({ p99 }) => p99)),
  lag_max_s: Math.max(...lags.map(({ max }) => max)),
};
await client.end();
await vault.stop();
process.stdout.write(
  values.json
    ? `${JSON.stringify(result)}\n`
    : `${Object.entries(result)
        .map(([name, value]) => `${name.padEnd(30)} ${value.toFixed(2)}`)
        .join('\n')}\n`,
);

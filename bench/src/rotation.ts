import { parseArgs } from 'node:util';
import { BenchVault } from './bench-vault.ts';
import { fill } from './fill.ts';
import { median } from './median.ts';
import { printFigures } from './print-figures.ts';
import { runWrk } from './wrk.ts';

/*
 * Measures how much re-encryption slows other requests. Two servers run at full load, alternately with and without a
 * concurrent `strongroom keys reencrypt`. Prints the ratio of the rates and the speed of the job.
 */
const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '100000' },
    rate: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '15' },
    json: { type: 'boolean', default: false },
  },
});
const vault = await BenchVault.start('apart');
const worker = await vault.startWorker();
await fill(vault, Number(values.tokens));
await vault.settle();

/** Returns creates per second. */
async function load(): Promise<number> {
  const seconds = Number(values.seconds);
  return (await runWrk(vault, { script: 'create-card', connections: 64, seconds })).perSecond;
}

async function rowsRead(): Promise<number> {
  return vault.withDatabase(async (client) => {
    const { rows } = await client.query<{ read: number }>('select sum(rows_read)::float8 as read from reencryptions');
    return rows[0]?.read ?? 0;
  });
}

/** Starts a job and waits until it has begun to change rows. */
async function startJob(): Promise<{ stop(): Promise<void> }> {
  await vault.run(['keys', 'rotate', 'data', '--all']);
  const stop = new AbortController();
  const ended = vault.run(['keys', 'reencrypt', '--all', '--rate', values.rate], stop.signal).then(
    () => {
      throw new Error('The job was done before the measurement was: fill more tokens, or lower its rate.');
    },
    (error: unknown) => {
      if (!stop.signal.aborted) throw error;
    },
  );
  const before = await rowsRead();
  while ((await rowsRead()) === before) {
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 100))]);
  }
  return {
    async stop() {
      stop.abort();
      await ended;
    },
  };
}

await load();
const rates: { alone: number[]; beside: number[]; job: number[] } = { alone: [], beside: [], job: [] };
for (let round = 0; round < Number(values.rounds); round += 1) {
  rates.alone.push(await load());
  const job = await startJob();
  const [before, startedAt] = [await rowsRead(), performance.now()];
  rates.beside.push(await load());
  rates.job.push(((await rowsRead()) - before) / ((performance.now() - startedAt) / 1_000));
  await job.stop();
}
await worker.stop();
await vault.stop();
const result = {
  creates_per_second_alone: median(rates.alone),
  creates_per_second_beside: median(rates.beside),
  ratio: median(rates.beside) / median(rates.alone),
  rows_per_second_of_the_job: median(rates.job),
};
printFigures(result, values.json);

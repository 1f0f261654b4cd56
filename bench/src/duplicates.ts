import { parseArgs } from 'node:util';
import { BenchVault } from './bench-vault.ts';
import { describePairs, measureInPairs, measureRequests } from './request-figures.ts';
import { connections } from './throughput-rows.ts';

/*
 * Compares creates that look for an equal token first with plain ones, in turns on one vault. No value occurs twice, so
 * each request creates a token. Requires wrk.
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '6' }, seconds: { type: 'string', default: '5' } },
});
const load = { connections, seconds: Number(values.seconds) };

const vault = await BenchVault.start('apart');
const worker = await vault.startWorker();
try {
  const measure = (script: string) => () => measureRequests(vault, { ...load, script });
  const pairs = await measureInPairs([measure('create-card'), measure('create-card-once')], Number(values.rounds));
  process.stdout.write(`plain to deduplicated creates\n${describePairs(pairs)}`);
} finally {
  await worker.stop();
  await vault.stop();
}

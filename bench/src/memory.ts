import { parseArgs } from 'node:util';
import { Progress } from '../../server/src/cli/terminal/progress.ts';
import { BenchVault } from './bench-vault.ts';
import { cardOf, fill } from './fill.ts';
import { heapAfterCollection } from './inspector.ts';
import { writePage } from './performance-page.ts';
import { type MemoryResults, type MemorySample, saveResults, watchCircumstances } from './results.ts';
import { connections } from './throughput-rows.ts';
import { runWrk } from './wrk.ts';

/*
 * Measures whether a server leaks memory. One server creates and reads cards. After the given numbers of requests, its
 * garbage is collected and its memory is measured. Requires wrk.
 */
const { values } = parseArgs({ options: { requests: { type: 'string', default: '10000,100000,1000000' } } });
const steps = values.requests.split(',').map(Number);
const goal = 1.1;
const tokens = 2_000;
const megabyte = 1024 * 1024;

const vault = await BenchVault.start('apart', { NODE_OPTIONS: '--inspect=127.0.0.1:0' });
const finish = watchCircumstances(vault.postgres.version);
const worker = await vault.startWorker();
// The first URL in the log is the server's, because the worker was started later.
const debuggers = [...(await vault.log()).matchAll(/Debugger listening on (ws:\S+)/g)].map(([, url = '']) => url);
await fill(vault, tokens, cardOf);

const samples: MemorySample[] = [];
const progress = new Progress('Requests', true);
let requests = 0;
for (const step of steps) {
  while (requests < step) {
    const seconds = step - requests < 20_000 ? 1 : 5;
    for (const script of ['create-card', 'get-card']) {
      requests += (await runWrk(vault, { script, connections, seconds, tokens })).requests;
    }
    progress.update(requests, steps.at(-1));
  }
  progress.end();
  const heap = await heapAfterCollection(debuggers.at(0) ?? '');
  samples.push({ requests, rss_mb: (await vault.residentBytes()) / megabyte, heap_mb: heap / megabyte });
  process.stdout.write(`${JSON.stringify(samples.at(-1))}\n`);
}
const ratioOf = (name: 'rss_mb' | 'heap_mb') =>
  (samples.at(-1)?.[name] ?? Number.NaN) / (samples[0]?.[name] ?? Number.NaN);
const results: MemoryResults = {
  circumstances: finish(),
  goal,
  samples,
  rss_ratio: ratioOf('rss_mb'),
  heap_ratio: ratioOf('heap_mb'),
};
await saveResults('memory', results);
await writePage();
await worker.stop();
await vault.stop();
if (results.heap_ratio > goal || results.rss_ratio > goal) process.exitCode = 1;

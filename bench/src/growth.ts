import { parseArgs } from 'node:util';
import { BenchVault } from './bench-vault.ts';
import { bulkFill, bulkFillSettings } from './bulk-fill.ts';
import { toGrowthChart } from './chart.ts';
import { type FilledVault, growthOperations, makeDoomed } from './growth-operations.ts';
import { measureInTurn } from './measure-in-turn.ts';
import { writePage } from './performance-page.ts';
import { type GrowthResults, saveChart, saveResults, watchCircumstances } from './results.ts';

/*
 * Measures whether the cost of a request grows with the vault. Vaults of different sizes run side by side on this
 * machine, and every operation is run on all of them in turn. Limits and ratios use medians because the machine may be
 * noisy.
 */
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000,10000000' },
    rounds: { type: 'string', default: '200' },
    /** True if docs/performance.md and bench/results are to be updated. */
    record: { type: 'boolean', default: true },
  },
  allowNegative: true,
});
const sizes = values.sizes.split(',').map(Number);
const rounds = Number(values.rounds);
const goal = 1.2;

async function prepare(size: number): Promise<FilledVault> {
  const vault = await BenchVault.start('together', {}, bulkFillSettings);
  await bulkFill(vault, size);
  const subject = { vault, size };
  await makeDoomed(subject, rounds + 50);
  return subject;
}

const subjects: FilledVault[] = [];
for (const size of sizes) subjects.push(await prepare(size));
// Filling the last vault has evicted the others from memory. After one full read, none of them has to wait for the
// disk.
const bytes = await Promise.all(subjects.map(({ vault }) => vault.readAll()));
const finish = watchCircumstances(subjects[0]?.vault.postgres.version ?? '');
const rows = await measureInTurn(subjects, growthOperations, rounds);
const results: GrowthResults = { circumstances: finish(), sizes, bytes, rounds, goal, rows };
if (values.record) {
  await saveResults('growth', results);
  await saveChart('growth', toGrowthChart(rows, goal));
  await writePage();
} else process.stdout.write(`${JSON.stringify(results)}\n`);
await Promise.all(subjects.map(({ vault }) => vault.stop()));
if (rows.some(({ ratio }) => ratio > goal)) process.exitCode = 1;

import { parseArgs } from 'node:util';
import { BenchVault } from './bench-vault.ts';
import { bulkFill, bulkFillSettings } from './bulk-fill.ts';
import { toGrowthChart } from './chart.ts';
import { customerOf, emailOf, tokenIdOf, tokenOf } from './fill.ts';
import { measureInTurn, type Operations } from './measure-in-turn.ts';
import { writePage } from './performance-page.ts';
import { type GrowthResults, saveChart, saveResults, watchCircumstances } from './results.ts';

/*
 * Does the cost of a request grow with the vault? Vaults of different size stand side by side on this machine, and every
 * operation is asked of all of them in turn. Limits and ratios are of medians; the machine may be noisy.
 */
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000,10000000' },
    rounds: { type: 'string', default: '200' },
    /** Whether docs/performance.md and bench/results are written. */
    record: { type: 'boolean', default: true },
  },
  allowNegative: true,
});
const sizes = values.sizes.split(',').map(Number);
const rounds = Number(values.rounds);
const goal = 1.2;

interface Subject {
  readonly vault: BenchVault;
  readonly size: number;
}

let made = 0;
const any = (size: number) => Math.floor(Math.random() * size);
const anyToken = ({ size }: Subject) => `/tokens/${tokenIdOf(any(size))}`;
const managed = ({ vault }: Subject, path: string) => vault.request('GET', path, undefined, vault.managementKey);

async function make({ vault, size }: Subject): Promise<string> {
  made += 1;
  const { id } = JSON.parse(await vault.request('POST', '/tokens', tokenOf(size + made))) as { id: string };
  return id;
}

/** Tokens that wait to be deleted, made before the clock runs. */
const doomed = new Map<Subject, string[]>();

const operations: Operations<Subject> = {
  'create a token': make,
  'get a token': (subject) => subject.vault.request('GET', anyToken(subject)),
  'patch a token': (subject) =>
    subject.vault.request('PATCH', anyToken(subject), { metadata: { note: String(Math.random()) } }),
  'delete a token': (subject) => subject.vault.request('DELETE', `/tokens/${doomed.get(subject)?.pop()}`),
  'list, page 1': ({ vault }) => vault.request('GET', '/tokens?size=20'),
  'list, page 400': ({ vault }) => vault.request('GET', '/tokens?page=400&size=20'),
  'list by cursor': ({ vault }) => vault.request('GET', '/v2/tokens?size=20'),
  'list by metadata': ({ vault, size }) => vault.request('GET', `/tokens?metadata.customer=${customerOf(any(size))}`),
  'list by container': ({ vault }) => vault.request('GET', '/tokens?container=/general/*&size=20'),
  'search by index': ({ vault, size }) =>
    vault.request('POST', '/tokens/search', { query: `data:"${emailOf(any(size))}"` }),
  'tokenize 10 values': ({ vault }) =>
    vault.request(
      'POST',
      '/tokenize',
      Array.from({ length: 10 }, () => `value ${Math.random()}`),
    ),
  'detokenize 10 values': ({ vault, size }) =>
    vault.request(
      'POST',
      '/detokenize',
      Array.from({ length: 10 }, () => `{{ ${tokenIdOf(any(size))} }}`),
    ),
  'logs, page 1': (subject) => managed(subject, '/logs'),
  'logs of a token': (subject) => managed(subject, `/logs?entity_id=${tokenIdOf(any(subject.size))}`),
  'count of tokens': (subject) => managed(subject, '/tenants/self/reports/usage'),
};

async function prepare(size: number): Promise<Subject> {
  const vault = await BenchVault.start('together', {}, bulkFillSettings);
  await bulkFill(vault, size);
  const subject = { vault, size };
  doomed.set(subject, await Promise.all(Array.from({ length: rounds + 50 }, () => make(subject))));
  return subject;
}

const subjects: Subject[] = [];
for (const size of sizes) subjects.push(await prepare(size));
const finish = watchCircumstances(subjects[0]?.vault.postgres.version ?? '');
const rows = await measureInTurn(subjects, operations, rounds);
const results: GrowthResults = { circumstances: finish(), sizes, rounds, goal, rows };
if (values.record) {
  await saveResults('growth', results);
  await saveChart('growth', toGrowthChart(rows, goal));
  await writePage();
} else process.stdout.write(`${JSON.stringify(results)}\n`);
await Promise.all(subjects.map(({ vault }) => vault.stop()));
if (rows.some(({ ratio }) => ratio > goal)) process.exitCode = 1;

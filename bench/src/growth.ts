import { parseArgs } from 'node:util';
import pg from 'pg';
import { BenchVault } from './bench-vault.ts';
import { customerOf, emailOf, fill, tokenOf } from './fill.ts';
import { median, percentile } from './median.ts';

/*
 * Does the cost of a request grow with the vault? Two vaults of different size stand side by side on this machine, and
 * every operation is measured on both in turn, so that what disturbs one disturbs the other. Limits and ratios are of
 * medians; the machine may be noisy.
 */
const { values } = parseArgs({
  options: {
    small: { type: 'string', default: '10000' },
    large: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '400' },
    json: { type: 'boolean', default: false },
  },
});
const sizes = { small: Number(values.small), large: Number(values.large) };
const rounds = Number(values.rounds);
const ratioMax = 1.2;

interface Subject {
  readonly vault: BenchVault;
  readonly size: number;
}

let created = 0;
const anyIndex = (size: number) => Math.floor(Math.random() * size);
const operations: Readonly<Record<string, (subject: Subject) => Promise<unknown>>> = {
  'get a token': ({ vault, size }) => vault.request('GET', `/tokens/token-${anyIndex(size)}`),
  'create a token': ({ vault, size }) => {
    created += 1;
    return vault.request('POST', '/tokens', tokenOf(size + created));
  },
  'list page 1': ({ vault }) => vault.request('GET', '/tokens?page=1&size=20'),
  'list page 500': ({ vault }) => vault.request('GET', '/tokens?page=500&size=20'),
  'list by metadata': ({ vault, size }) =>
    vault.request('GET', `/tokens?metadata.customer=${customerOf(anyIndex(size))}`),
  'search by index': ({ vault, size }) =>
    vault.request('POST', '/tokens/search', { query: `data:"${emailOf(anyIndex(size))}"` }),
  total_items: ({ vault }) => vault.request('GET', '/tokens?size=1'),
};

async function prepare(size: number): Promise<Subject> {
  const vault = await BenchVault.start();
  await fill(vault, size);
  // What autovacuum would have done by the time a vault has grown this large.
  const client = new pg.Client({ connectionString: vault.postgres.url });
  await client.connect();
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  await client.end();
  return { vault, size };
}

async function measure(subjects: readonly [Subject, Subject], operation: (subject: Subject) => Promise<unknown>) {
  const times: [number[], number[]] = [[], []];
  for (let round = -20; round < rounds; round += 1) {
    for (const [index, subject] of subjects.entries()) {
      const startedAt = performance.now();
      await operation(subject);
      // The first rounds warm caches and compile code; they are not counted.
      if (round >= 0) times[index === 0 ? 0 : 1].push(performance.now() - startedAt);
    }
  }
  return times;
}

const small = await prepare(sizes.small);
const large = await prepare(sizes.large);
const results = [];
for (const [name, operation] of Object.entries(operations)) {
  const [smallTimes, largeTimes] = await measure([small, large], operation);
  const result = {
    operation: name,
    small_ms: median(smallTimes),
    large_ms: median(largeTimes),
    ratio: median(largeTimes) / median(smallTimes),
    large_p99_ms: percentile(largeTimes, 0.99),
  };
  results.push(result);
  if (!values.json) {
    const figures = `${result.small_ms.toFixed(2)} ms → ${result.large_ms.toFixed(2)} ms`;
    process.stdout.write(
      `${name.padEnd(20)} ${figures.padEnd(24)} ${result.ratio.toFixed(2)}×${result.ratio > ratioMax ? '  grows' : ''}\n`,
    );
  }
}
if (values.json) process.stdout.write(`${JSON.stringify({ sizes, rounds, results })}\n`);
await Promise.all([small.vault.stop(), large.vault.stop()]);
if (results.some(({ ratio }) => ratio > ratioMax)) process.exitCode = 1;

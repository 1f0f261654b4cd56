import type { LocalPostgres } from '../../server/src/platform/local-postgres/local-postgres.ts';
import { askAll } from './ask-all.ts';
import type { BenchVault } from './bench-vault.ts';
import { startVaultOn } from './node-databases.ts';
import { processorMsBetween, type ProcessorTimes, readProcessorTimes } from './postgres-processor-time.ts';
import { withClient } from './with-client.ts';

/** Enough for every node to know the tenant and the key, and for its statements to be prepared. */
const warmUpPerNode = 100;
/** Few: 512 at once got a server with eight nodes that had just started to refuse some of them. */
const warmUpClients = 16;

/** What a database did, as pg_stat_statements and the system count it. */
export interface Work {
  readonly statements: number;
  readonly rows: number;
  readonly walBytes: number;
  readonly buffers: number;
  /** From the beginning to the end of each statement, so waiting for a processor counts. */
  readonly milliseconds: number;
  readonly processorMs: number;
}

export interface CountedWork {
  readonly operation: 'create' | 'read';
  readonly clients: number;
  readonly requests: number;
  readonly seconds: number;
  readonly home: Work;
  readonly nodes: readonly Work[];
}

interface Order {
  readonly nodes: number;
  readonly clients: number;
  readonly requests: number;
}

/**
 * Statements that read or write tokens; the server also looks now and then whether it is still there. Their numbers contain those of
 * whatever they call.
 */
const statementsText = `select coalesce(sum(calls), 0)::float8 as statements, coalesce(sum(rows), 0)::float8 as rows,
    coalesce(sum(wal_bytes), 0)::float8 as "walBytes", coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as buffers,
    coalesce(sum(total_exec_time), 0)::float8 as milliseconds
  from pg_stat_statements where toplevel and query ~ '\\mtokens\\M'`;

/** Creates tokens in a new vault with so many nodes, reads them, and tells what each of its databases did for it. */
export async function countWork(order: Order): Promise<CountedWork[]> {
  const startedAt = performance.now();
  const { vault, nodes } = await startVaultOn(order.nodes);
  const databases = [vault.postgres, ...nodes.all.map(({ postgres }) => postgres)];
  for (const { url } of databases) await run(url, 'create extension if not exists pg_stat_statements');
  note(`${order.nodes} nodes are there`, startedAt);
  try {
    const ids: string[] = [];
    const create = async (data: number) => void ids.push(await createToken(vault, data));
    const read = async (number: number) => void (await vault.request('GET', `/tokens/${ids[number % ids.length]}`));
    const warmUp = { clients: warmUpClients, requests: warmUpPerNode * order.nodes };
    const counted: CountedWork[] = [];
    for (const [operation, ask] of [
      ['create', create],
      ['read', read],
    ] as const) {
      await askAll(warmUp, ask);
      for (const { url } of databases) {
        // Or plans, and with them buffers, depend on whether autovacuum has been there.
        await run(url, 'vacuum analyze');
        await run(url, 'select pg_stat_statements_reset()');
      }
      const before = await Promise.all(databases.map(readProcessorTimes));
      const beganAt = performance.now();
      await askAll(order, ask);
      const seconds = (performance.now() - beganAt) / 1_000;
      const [home = nothing(), ...others] = await Promise.all(
        databases.map((database, index) => readWork(database, before[index] ?? new Map())),
      );
      counted.push({ operation, ...order, seconds, home, nodes: others });
      note(`${order.requests} × ${operation}`, beganAt);
    }
    return counted;
  } finally {
    await vault.stop();
    await nodes.stop();
  }
}

async function createToken(vault: BenchVault, data: number): Promise<string> {
  const { id } = JSON.parse(await vault.request('POST', '/tokens', { type: 'token', data })) as { id: string };
  return id;
}

async function readWork(postgres: LocalPostgres, before: ProcessorTimes): Promise<Work> {
  const processorMs = processorMsBetween(before, await readProcessorTimes(postgres));
  return withClient(postgres.url, async (client) => {
    const { rows } = await client.query<Omit<Work, 'processorMs'>>(statementsText);
    return { ...(rows[0] ?? nothing()), processorMs };
  });
}

async function run(url: string, statement: string): Promise<void> {
  await withClient(url, (client) => client.query(statement));
}

function nothing(): never {
  throw new Error('pg_stat_statements has no answer.');
}

function note(what: string, sinceMs: number): void {
  process.stderr.write(`${what}: ${((performance.now() - sinceMs) / 1_000).toFixed(1)} s\n`);
}

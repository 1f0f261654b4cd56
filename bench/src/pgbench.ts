import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { BenchVault } from './bench-vault.ts';
import { median, percentile } from './median.ts';
import { withClient } from './with-client.ts';
import { type Counted, type Load, workloads } from './wrk.ts';

/** One in this many transactions is logged with its duration. */
const sampleEvery = 10;
/** The name of the copy. */
export const databaseName = 'bare';

const attemptsMax = 5;

/**
 * A copy of a vault's database that only pgbench uses. It has the same tables, indexes, policies and rows, but no vault
 * uses it. pgbench uses the role that serves requests, and sets the tenant once per connection.
 */
export class BareDatabase {
  readonly #vault: BenchVault;
  readonly #variables: readonly string[];
  readonly #tenantId: string;

  /** Copies the database. There must be no connections to the vault's database during the copy. */
  static async copy(vault: BenchVault): Promise<BareDatabase> {
    await withClient(vault.postgres.urlOf('template1'), (client) =>
      client.query(`create database ${databaseName} template postgres`),
    );
    return withClient(vault.postgres.urlOf(databaseName), async (client) => {
      const { rows } = await client.query<Record<string, string>>(
        `select card.tenant_id, card.created_by, '\\x' || encode(card.data, 'hex') as data,
          (select '\\x' || encode(terms[1], 'hex') from tokens where id = 'token-7') as term,
          (select key_id::text from audit_records where entity_id = 'card-7' limit 1) as key_id
        from tokens card where id = 'card-7'`,
      );
      const { tenant_id = '', created_by = '', data = '', term = '', key_id = '' } = rows[0] ?? {};
      // The value is as long as a sealed document value such as "value 0123456789 number 100", including the quotes.
      const value = Buffer.alloc(107, 7).toString('hex');
      const list = `{${Array.from({ length: 100 }, () => String.raw`"\\x${value}"`).join(',')}}`;
      await client.query('vacuum analyze');
      const variables = { tenant: tenant_id, actor: created_by, key: key_id, data, term, list };
      return new BareDatabase(
        vault,
        tenant_id,
        Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]),
      );
    });
  }

  private constructor(vault: BenchVault, tenantId: string, variables: readonly string[]) {
    this.#vault = vault;
    this.#tenantId = tenantId;
    this.#variables = variables;
  }

  /**
   * Runs a load. If the machine stalls for seconds, a short run may complete no transaction. Such a run is repeated.
   */
  async run(load: Load): Promise<Counted> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#runOnce(load);
      } catch (error) {
        if (attempt === attemptsMax || !/actually processed: 0$/m.test(String(error))) throw error;
      }
    }
  }

  /** Runs a load once. Any failed transaction ends the run. */
  async #runOnce({ script, connections, seconds, tokens = 0, rate }: Load): Promise<Counted> {
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-pgbench-'));
    const { hostname, port, username, password } = new URL(this.#vault.postgres.url);
    const flags = ['-n', '-M', 'prepared', '-c', String(connections), '-j', '2', '-T', String(seconds)];
    // With a given rate, the duration of a transaction is measured from when it was due to start.
    if (rate !== undefined) flags.push('--rate', String(rate));
    const log = ['-l', '--log-prefix', path.join(directory, 'log'), '--sampling-rate', String(1 / sampleEvery)];
    const file = ['-D', `tokens=${tokens}`, '-f', `${workloads}/${script}.sql`, databaseName];
    try {
      const program = path.join(this.#vault.postgres.binaryDirectory, 'pgbench');
      const { stdout } = await promisify(execFile)(program, [...flags, ...log, ...this.#variables, ...file], {
        env: {
          ...process.env,
          PGHOST: hostname,
          PGPORT: port,
          PGUSER: username,
          PGPASSWORD: decodeURIComponent(password),
          PGOPTIONS: `-c role=strongroom_app -c app.tenant_id=${this.#tenantId} -c jit=off`,
        },
      });
      const perSecond = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
      if (!(perSecond > 0) || !/failed transactions: 0 /.test(stdout)) throw new Error(`pgbench failed:\n${stdout}`);
      const times = await readTimes(directory);
      const requests = Number(/^number of transactions actually processed: (\d+)/m.exec(stdout)?.[1]);
      return { requests, perSecond, p50Ms: median(times), p99Ms: percentile(times, 0.99) };
    } finally {
      await rm(directory, { recursive: true });
    }
  }
}

/** Reads the durations in microseconds from the third word of each line. */
async function readTimes(directory: string): Promise<number[]> {
  const files = await readdir(directory);
  const texts = await Promise.all(files.map((file) => readFile(path.join(directory, file), 'utf8')));
  return texts.flatMap((text) =>
    text.split('\n').flatMap((line) => (line === '' ? [] : Number(line.split(' ')[2]) / 1_000)),
  );
}

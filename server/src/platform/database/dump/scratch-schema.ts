import pg from 'pg';
import type { ScratchDatabase } from './scratch-database.ts';

interface Table {
  readonly name: string;
  readonly hasPolicies: boolean;
  /**
   * True if every dump of a vault contains the table. False for the monthly tables of the audit log, which
   * differ between dumps.
   */
  readonly isRequired: boolean;
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/**
 * Prepares tables created by the vault's own migrations for the rows of a dump. Foreign keys, triggers and row-level
 * security would reject rows in the order in which an archive lists its tables, so they are removed before the load and
 * restored after it.
 */
export class ScratchSchema {
  readonly #client: pg.Client;
  readonly #loaderRole: string;
  #tables: Table[] = [];
  #foreignKeys: ForeignKey[] = [];

  static async open({ ownerUrl, loaderRole }: ScratchDatabase): Promise<ScratchSchema> {
    const client = new pg.Client({ connectionString: ownerUrl, application_name: 'strongroom backup' });
    client.on('error', () => undefined);
    await client.connect();
    return new ScratchSchema(client, loaderRole);
  }

  private constructor(client: pg.Client, loaderRole: string) {
    this.#client = client;
    this.#loaderRole = loaderRole;
  }

  /** Prepares the tables for loading, and returns their names. */
  async openForRows(months: readonly string[]): Promise<readonly string[]> {
    await this.#addMonths(months);
    const tables = await this.#client.query<Table>(`select relname as name, relrowsecurity as "hasPolicies",
      relkind = 'r' and not relispartition as "isRequired" from pg_class
      where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and relname <> 'schema_migrations' order by 1`);
    this.#tables = tables.rows;
    const names = this.#tables.map(({ name }) => name);
    const keys = await this.#client.query<ForeignKey>(`select conrelid::regclass::text as table, conname as name,
      pg_get_constraintdef(oid) as definition from pg_constraint
      where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0 order by 1, 2`);
    this.#foreignKeys = keys.rows;
    // Rows inserted by the migrations are also in the dump.
    await this.#client.query(`truncate ${names.join(', ')}`);
    for (const { table, name } of this.#foreignKeys) {
      await this.#client.query(`alter table ${table} drop constraint ${name}`);
    }
    await this.#client.query(`grant usage on schema public to ${this.#loaderRole}`);
    for (const table of names) {
      await this.#client.query(`alter table ${table} disable row level security, disable trigger user`);
      await this.#client.query(`grant insert on ${table} to ${this.#loaderRole}`);
    }
    return names;
  }

  /** Ends the load. Checks that every required table was present and that all constraints hold. */
  async closeForRows(loaded: readonly string[]): Promise<void> {
    const lacking = this.#tables.find(({ name, isRequired }) => isRequired && !loaded.includes(name));
    if (lacking !== undefined) {
      throw new Error(`The dump has no rows of ${lacking.name}. Dump the whole database in one run of pg_dump.`);
    }
    for (const { name: table } of this.#tables) {
      await this.#client.query(`revoke all on ${table} from ${this.#loaderRole}`);
    }
    for (const { table, name, definition } of this.#foreignKeys) {
      await this.#client.query(`alter table ${table} add constraint ${name} ${definition}`).catch(() => {
        throw new Error(
          `Rows of ${table} refer to rows that are not in the dump (${name}). The dump is not a consistent snapshot: take another one.`,
        );
      });
    }
    for (const { name: table, hasPolicies } of this.#tables) {
      await this.#client.query(`alter table ${table} enable trigger user`);
      if (hasPolicies) await this.#client.query(`alter table ${table} enable row level security`);
    }
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  /** Creates the partitions of the audit log that are added over time instead of by a migration. */
  async #addMonths(months: readonly string[]): Promise<void> {
    const log = await this.#client.query(`select from pg_class where oid = to_regclass('public.audit_records')`);
    if (log.rowCount === 0) return;
    for (const month of months) {
      // The month becomes part of SQL text here, so it is validated once more.
      if (!/^\d{4}_(0[1-9]|1[0-2])$/.test(month)) throw new TypeError('A month is a year and a number.');
      const first = `${month.replace('_', '-')}-01`;
      await this.#client.query(`create table if not exists audit_records_${month} partition of audit_records
        for values from (timestamp '${first}' at time zone 'UTC') to ((timestamp '${first}' + interval '1 month') at time zone 'UTC')`);
    }
  }
}

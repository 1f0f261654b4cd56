import type { TestDatabase } from './test-database.ts';

/** What a move changes in a database. */
const tables = [
  'tenants',
  'applications',
  'tenant_keys',
  'tokens',
  'token_terms',
  'token_cvcs',
  'token_counts',
  'token_totals',
  'token_sets',
  'token_set_totals',
  'held_drawers',
  'drawer_moves',
  'drawer_changes',
  'drawer_arrivals',
  'drawer_receipts',
] as const;

/** The rows of a database as they were, to be restored as from a backup while servers keep their connections. */
export class DatabaseBackup {
  readonly #database: TestDatabase;
  readonly #restoring: string;

  static async take(database: TestDatabase): Promise<DatabaseBackup> {
    const schema = `backup_${crypto.randomUUID().replaceAll('-', '')}`;
    const copies = tables.map((table) => `create table ${schema}.${table} as table ${table};`);
    await database.owner.query(`create schema ${schema}; ${copies.join(' ')}`);
    const { rows: columns } = await database.owner.query<{ table: (typeof tables)[number]; columns: string }>(
      `select table_name as table, string_agg(column_name, ', ') as columns from information_schema.columns
        where table_schema = 'public' and table_name = any($1) and is_generated = 'NEVER' group by table_name`,
      [tables],
    );
    const { rows: triggers } = await database.owner.query<{ text: string }>(
      `select pg_get_triggerdef(oid) as text
        from pg_trigger where tgname like '%in_moving' and tgenabled <> 'D'`,
    );
    const restoring = [
      ...columns.map(({ table, columns: names }) => {
        const rows = `overriding system value select ${names} from ${schema}.${table}`;
        return `delete from ${table}; insert into ${table} (${names}) ${rows};`;
      }),
      ...['tokens', 'token_cvcs'].flatMap((table) =>
        ['written', 'deleted'].map((event) => `drop trigger if exists ${table}_${event}_in_moving on ${table};`),
      ),
      ...triggers.map(({ text }) => `${text};`),
    ];
    return new DatabaseBackup(database, restoring.join(' '));
  }

  private constructor(database: TestDatabase, restoring: string) {
    this.#database = database;
    this.#restoring = restoring;
  }

  async restore(): Promise<void> {
    await this.#database.owner.query(`begin; set local session_replication_role = replica; ${this.#restoring} commit`);
  }
}

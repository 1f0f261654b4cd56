import pg from 'pg';
import { requireOwnSession } from '../connections/session-check.ts';
import { CopyBlocks, type CopyEvent } from './copy-blocks.ts';
import { CopyStatement } from './copy-statement.ts';
import { decodeDump, type DecoderOptions } from './dump-decoder.ts';
import type { DumpFile } from './dump-file.ts';

export interface LoadTarget {
  readonly url: string;
  /** A role whose only privilege is to insert into these tables. */
  readonly role: string;
  readonly tables: readonly string[];
}

/**
 * Copies the rows of a dump into the vault's tables and skips all other tables. Returns the tables that the dump
 * contained.
 */
export async function loadRows(
  dump: DumpFile,
  { url, role, tables }: LoadTarget,
  options: DecoderOptions,
): Promise<readonly string[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: 'strongroom backup',
  });
  // If the connection breaks, the current statement fails.
  client.on('error', () => undefined);
  await client.connect().catch((error: unknown) => {
    throw new Error(
      'The role that loads the dump cannot connect to its scratch database. Allow roles whose names begin with strongroom_scratch_ to log in by password in pg_hba.conf.',
      { cause: error },
    );
  });
  try {
    await requireOwnSession(client);
    await requireRole(client, role);
    const loader = new RowLoader(client, new Set(tables));
    const blocks = new CopyBlocks();
    for await (const chunk of decodeDump(dump, ['--data-only'], options)) {
      for (const event of blocks.push(chunk)) await loader.take(event);
    }
    blocks.finish();
    return [...loader.loaded];
  } finally {
    await client.end();
  }
}

/**
 * Checks the role of the connection. Rows of a possibly hostile dump are loaded with its privileges, so a wrong address
 * must not load them with those of the owner.
 */
async function requireRole(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query<{ isRole: boolean }>(
    'select session_user = $1 and current_user = $1 as "isRole"',
    [role],
  );
  if (rows[0]?.isRole !== true) {
    throw new Error(
      'The dump was not loaded: the connection for it does not have the role that was created to load it. Check the user and the options in STRONGROOM_DATABASE_OWNER_URL.',
    );
  }
}

class RowLoader {
  readonly loaded = new Set<string>();
  readonly #client: pg.Client;
  readonly #tables: ReadonlySet<string>;
  #table = '';
  #copy: CopyStatement | undefined;

  constructor(client: pg.Client, tables: ReadonlySet<string>) {
    this.#client = client;
    this.#tables = tables;
  }

  async take(event: CopyEvent): Promise<void> {
    try {
      if (event.kind === 'begin') this.#begin(event.table, event.columns);
      else if (event.kind === 'rows') await this.#copy?.write(event.bytes);
      else await this.#end();
    } catch (error) {
      throw unfitting(this.#table, error);
    }
  }

  #begin(table: string, columns: readonly string[]): void {
    this.#table = table;
    this.#copy = this.#tables.has(table) ? new CopyStatement(table, columns) : undefined;
    if (this.#copy !== undefined) this.#client.query(this.#copy);
  }

  async #end(): Promise<void> {
    if (this.#copy === undefined) return;
    await this.#copy.end();
    this.loaded.add(this.#table);
  }
}

/** Returns an error without PostgreSQL's own message, which quotes rows. */
function unfitting(table: string, error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  return new Error(
    `The dump cannot be restored: PostgreSQL rejected rows of ${table} (SQLSTATE ${error.code ?? 'unknown'}). Take another dump.`,
  );
}

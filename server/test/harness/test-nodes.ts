import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { inject } from 'vitest';
import { migrate } from '../../src/platform/database/migrator.ts';
import { addNode } from '../../src/platform/nodes/node-adding-store.ts';
import { drawerCount, DrawerSet } from '../../src/platform/nodes/drawers.ts';
import { nodesByDefault } from './nodes-by-default.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from './test-database.ts';

export interface TestNode {
  readonly name: string;
  readonly database: TestDatabase;
}

/** Makes databases that hold all tokens of a vault that is still empty, each as many drawers as the others. */
export async function spreadOverNodes(home: TestDatabase, wanted: number | undefined): Promise<TestNode[]> {
  const count = wanted ?? nodesByDefault;
  const nodes: TestNode[] = [];
  for (let number = 1; number <= count; number += 1) {
    const node = { name: `node-${number}`, database: await createDatabaseBeside(home) };
    await addNode({ name: 'home', ownerUrl: home.url }, { name: node.name, ownerUrl: node.database.url });
    nodes.push(node);
  }
  if (nodes.length > 0) {
    await giveAllDrawers(home, nodes);
    // A test that asks for nodes looks into each of them itself.
    if (wanted === undefined) askEverywhere(home, nodes);
  }
  return nodes;
}

/** On the same server: a test that starts one of its own freezes it, replicates it or looks into its files. */
async function createDatabaseBeside(home: TestDatabase): Promise<TestDatabase> {
  const address = new URL(home.url);
  if (address.host === new URL(inject('postgresUrl')).host) return createTestDatabase();
  const name = `node_${randomBytes(8).toString('hex')}`;
  await home.owner.query(`create database ${name}`);
  address.pathname = `/${name}`;
  await migrate(address.href);
  return openTestDatabase(address.href, async () => {
    await home.owner.query(`drop database ${name} with (force)`);
  });
}

const spreadTables =
  /\b(tokens|token_terms|token_cvcs|token_counts|token_totals|token_sets|token_set_totals|audit_records)\b/;

/** Records that a test writes itself are those of home, which has a log like every node: once, and not in each database. */
const plantsRecords = /^\s*(?:do \$\$.*)?insert into audit_records\b/s;

/** A test's own SQL about what lies on nodes is run on all databases: their rows follow each other, and what they count adds up. */
function askEverywhere(home: TestDatabase, nodes: readonly TestNode[]): void {
  const pools = [home, ...nodes.map(({ database }) => database)].map(({ owner }) => owner);
  const own = pools.map(
    (pool) => pool.query.bind(pool) as (text: string, values?: unknown[]) => Promise<pg.QueryResult>,
  );
  const askAll = async (text: string, values?: unknown[]): Promise<unknown> => {
    const [ask = own[0]] = own;
    if (!spreadTables.test(text) || plantsRecords.test(text)) return ask?.(text, values);
    const results = await Promise.all(own.map((query) => query(text, values)));
    const rows = results.flatMap((result) => result.rows as Row[]);
    const rowCount = results.reduce((sum, result) => sum + (result.rowCount ?? 0), 0);
    return { ...results[0], rowCount, rows: isOneNumberEach(text, results) ? [addUp(rows)] : rows };
  };
  Object.assign(home.owner, { query: askAll });
}

type Row = Readonly<Record<string, unknown>>;

function isOneNumberEach(text: string, results: readonly pg.QueryResult[]): boolean {
  return /\b(count|sum)\(/.test(text) && results.every(({ rows }) => rows.length === 1);
}

function addUp(rows: readonly Row[]): Row {
  const names = Object.keys(rows[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, sumOf(rows.flatMap((row) => row[name] ?? []))]));
}

/** Texts that are numbers stay texts, as the driver returns a bigint; null where no database has anything. */
function sumOf(values: readonly unknown[]): unknown {
  if (values.length === 0) return null;
  if (values.some((value) => Number.isNaN(Number(value)) || typeof value === 'object')) return values;
  const sum = values.reduce<number>((total, value) => total + Number(value), 0);
  return values.some((value) => typeof value === 'string') ? String(sum) : sum;
}

/** The databases of a vault that a test starts programs on: a home database, with nodes if all tests are run on nodes. */
export interface VaultDatabase extends TestDatabase {
  readonly nodes: readonly TestNode[];
  /** Where programs find all of them. */
  readonly settings: { readonly STRONGROOM_DATABASE_URL: string; readonly [setting: string]: string };
}

export async function createVaultDatabase(): Promise<VaultDatabase> {
  const home = await createTestDatabase();
  const nodes = await spreadOverNodes(home, undefined);
  return {
    ...home,
    nodes,
    settings: databaseSettings({ database: home, nodes }),
    async drop() {
      for (const { database } of nodes) await database.drop();
      await home.drop();
    },
  };
}

/** Where a program that is started by a test finds all databases of a vault. */
export function databaseSettings(vault: { readonly database: TestDatabase; readonly nodes: readonly TestNode[] }): {
  readonly STRONGROOM_DATABASE_URL: string;
  readonly [setting: string]: string;
} {
  const nodes = vault.nodes.map(({ name, database }) => `${name}=${database.url}`);
  return {
    STRONGROOM_DATABASE_URL: vault.database.url,
    ...(nodes.length === 0 ? {} : { STRONGROOM_NODES: nodes.join(' ') }),
  };
}

/** Only while there is no token. */
async function giveAllDrawers(home: TestDatabase, nodes: readonly TestNode[]): Promise<void> {
  await home.owner.query('update held_drawers set held = $1', [DrawerSet.of([]).toBytes()]);
  const drawers = Array.from({ length: drawerCount }, (_, drawer) => drawer);
  for (const [index, { database }] of nodes.entries()) {
    const own = DrawerSet.of(drawers.filter((drawer) => drawer % nodes.length === index));
    await database.owner.query('update held_drawers set held = $1', [own.toBytes()]);
  }
}

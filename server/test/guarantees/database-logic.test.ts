import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

// ARCHITECTURE.md lists the logic that runs in PostgreSQL. These tests compare its lists with a migrated database.

let database: TestDatabase;
let page: string;
beforeAll(async () => {
  database = await createTestDatabase();
  page = await readFile(path.resolve(import.meta.dirname, '../../../ARCHITECTURE.md'), 'utf8');
});
afterAll(() => database.drop());

/** Returns the rows of the table whose first column has this name. */
function rowsOf(column: string): string[][] {
  const [table = ''] = new RegExp(String.raw`^\| ${column} .*\n(?:\|.*\n)+`, 'm').exec(page) ?? [];
  const rows = table.trimEnd().split('\n').slice(2);
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

it('lists every function, and whose rights it has', async () => {
  const { rows } = await database.owner.query<{ name: string; rights: string }>(
    `select p.proname as name, case when not p.prosecdef then 'caller' when r.rolname ~ '^strongroom_'
       then substring(r.rolname from 'strongroom_(.*)') else 'owner' end as rights
     from pg_proc p join pg_roles r on r.oid = p.proowner where p.pronamespace = 'public'::regnamespace`,
  );
  const stored = rows.map(({ name, rights }) => `${name} with the rights of ${rights}`);
  const listed = rowsOf('Function').map(([name, rights]) => `${name} with the rights of ${rights}`);
  expect(listed.toSorted()).toEqual(stored.toSorted());
});

it('says of exactly the trigger functions that they are', async () => {
  const { rows } = await database.owner.query<{ name: string }>(
    `select proname as name from pg_proc where pronamespace = 'public'::regnamespace and prorettype = 'trigger'::regtype`,
  );
  const listed = rowsOf('Function').flatMap(([name = '', , what = '']) => (what.startsWith('trigger: ') ? [name] : []));
  expect(listed.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

it('lists every trigger, with its table and its function', async () => {
  const { rows } = await database.owner.query<{ text: string }>(
    `select concat_ws(' ', t.tgname, t.tgrelid::regclass, p.proname) as text from pg_trigger t
     join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
     where not t.tgisinternal and c.relnamespace = 'public'::regnamespace`,
  );
  const listed = rowsOf('Trigger').map((cells) => cells.join(' '));
  expect(listed.toSorted()).toEqual(rows.map(({ text }) => text).toSorted());
});

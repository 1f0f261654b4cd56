import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/test-database.ts';
import { type Migration, readMarkers, readMigrations } from './migration-files.ts';
import { migrate, requireFittingSchema } from './migrator.ts';

let test: TestDatabase;
let known: Migration[];
beforeEach(async () => {
  test = await createTestDatabase();
  known = await readMigrations();
});
afterEach(() => test.drop());

const added = (sql: string): Migration => ({
  version: known.length + 1,
  name: 'added',
  sql,
  checksum: 'c0ffee',
  ...readMarkers(sql),
});

describe('migrate', () => {
  it('applies what is missing, once, when five start together', async () => {
    const migrations = [...known, added('create table extra (id integer)')];
    const reports = await Promise.all(Array.from({ length: 5 }, () => migrate(test.url, migrations)));
    expect(reports.flatMap(({ applied }) => applied)).toEqual(['added']);
  });

  it('leaves the database as it was when a migration fails half way', async () => {
    const failing = added('create table half (id integer); select 1 / 0');
    await expect(migrate(test.url, [...known, failing])).rejects.toThrow(/_added failed; it changed nothing/);
    const { rows } = await test.owner.query(`select to_regclass('half') as half`);
    expect(rows).toEqual([{ half: null }]);
  });

  it('refuses a history that was edited', async () => {
    const edited = known.map((migration, index) => (index === 1 ? { ...migration, checksum: 'edited' } : migration));
    await expect(migrate(test.url, edited)).rejects.toThrow('released migrations must not be edited');
  });
});

describe('requireFittingSchema', () => {
  it('accepts the schema it was built for', async () => {
    await expect(requireFittingSchema(test.url)).resolves.toBeUndefined();
  });

  it('asks for a migration when the database is behind', async () => {
    await expect(requireFittingSchema(test.url, [...known, added('select 1')])).rejects.toThrow(
      'Run `strongroom migrate`',
    );
  });

  it('runs on a newer schema unless that is marked as breaking', async () => {
    await migrate(test.url, [...known, added('select 1')]);
    await expect(requireFittingSchema(test.url, known)).resolves.toBeUndefined();
  });

  it('refuses a newer schema that is marked as breaking', async () => {
    await migrate(test.url, [...known, added('-- breaking\nselect 1')]);
    await expect(requireFittingSchema(test.url, known)).rejects.toThrow('Install that version or a newer one.');
  });
});

describe('readMigrations', () => {
  it('names the file that is out of order', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-migrations-'));
    await writeFile(path.join(directory, '0002_late.sql'), 'select 1');
    await expect(readMigrations(directory)).rejects.toThrow('0002_late.sql should be named 0001_<name>.sql.');
    await rm(directory, { recursive: true });
  });
});

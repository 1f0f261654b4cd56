import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import { type Migration, readMarkers, readMigrations } from './migration-files.ts';
import { findMigrations, migrate, requireFittingSchema } from './migrator.ts';

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

  it('says which right a login lacks that may not create roles', async () => {
    const denied = added('set local role strongroom_app; create role another');
    await expect(migrate(test.url, [...known, denied])).rejects.toThrow(/it changed nothing\. The login .*CREATEROLE/);
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

describe('a database that an unreleased version has spread over several', () => {
  // The unreleased migration that all later ones of that version depend on, before and after it was corrected.
  const checksums = [
    '82e62bd5abc7a02680b2f8f2b9ba4502a2f325c7dc928289f1ad32e3f8003586',
    'c6eb1380fde49b221b954d09fdda38b90685bae7e1fb00a648a1a355234f8c99',
  ];

  it.each(checksums)('is neither migrated, nor served, nor read from a dump: %s', async (checksum) => {
    const applied = { ...added('select 1'), name: 'unreleased', checksum };
    // This restores the state that the unreleased version left behind, even if the current version uses the same
    // numbers for other migrations.
    await test.owner.query(`delete from schema_migrations where version > 35`);
    await test.owner.query(
      `insert into schema_migrations (version, name, checksum, is_breaking) select n, 'unreleased', $1, false
        from generate_series(36, 42) n`,
      [checksum],
    );
    const words = /several databases\. Export the tokens with that version and import them into a new vault/;
    await expect(migrate(test.url)).rejects.toThrow(words);
    await expect(migrate(test.url, [...known, added('create table extra (id integer)')])).rejects.toThrow(words);
    await expect(requireFittingSchema(test.url)).rejects.toThrow(words);
    await expect(findMigrations([...known, applied])).rejects.toThrow(words);
    const { rows } = await test.owner.query(`select to_regclass('extra') as extra`);
    expect(rows).toEqual([{ extra: null }]);
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

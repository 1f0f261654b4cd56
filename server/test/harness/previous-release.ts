import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** The commits of releases, which had no tags. */
const commits = { '0.1.0': 'a1cb550', '0.2.0': '4ea12e5a' } as const;
const repository = path.resolve(import.meta.dirname, '../../..');

/** Unpacks a previous release into an empty folder, installs its packages and returns the path of its program. */
export async function unpackPreviousRelease(folder: string, release: keyof typeof commits = '0.1.0'): Promise<string> {
  await run('sh', ['-c', 'git -C "$0" archive "$1" | tar -x -C "$2"', repository, commits[release], folder]);
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  return path.join(folder, 'server/src/main.ts');
}

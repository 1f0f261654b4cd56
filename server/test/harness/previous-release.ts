import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** The commit of 0.1.0, which had no tag. */
const commit = 'a1cb550';
const repository = path.resolve(import.meta.dirname, '../../..');

/** Unpacks the previous release into an empty folder, installs its packages and returns the path of its program. */
export async function unpackPreviousRelease(folder: string): Promise<string> {
  await run('sh', ['-c', 'git -C "$0" archive "$1" | tar -x -C "$2"', repository, commit, folder]);
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  return path.join(folder, 'server/src/main.ts');
}

import path from 'node:path';
import { run } from './run.mjs';

/** The two npm packages. npm writes the same archive for the same files, whatever their times and owners. */
export function buildPackages({ folder, output }) {
  // Install scripts would run code of others for nothing: no build needs what they make.
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  run('npm', ['run', 'build'], { cwd: folder });
  run('npm', ['run', 'docs'], { cwd: folder });
  for (const workspace of ['server', 'elements'])
    run('npm', ['pack', '--pack-destination', output], { cwd: path.join(folder, workspace) });
}

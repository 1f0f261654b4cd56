import path from 'node:path';
import { run } from './run.mjs';

/**
 * Builds the two npm packages. npm creates the same archive from the same files, regardless of their times and owners.
 */
export function buildPackages({ folder, output }) {
  // Install scripts would needlessly run third-party code. No build uses their results.
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  run('npm', ['run', 'build'], { cwd: folder });
  run('npm', ['run', 'docs'], { cwd: folder });
  for (const workspace of ['server', 'elements'])
    run('npm', ['pack', '--pack-destination', output], { cwd: path.join(folder, workspace) });
}

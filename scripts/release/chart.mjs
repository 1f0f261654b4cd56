import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { archive } from './archive.mjs';
import { run } from './run.mjs';

/**
 * Writes the same chart as `helm package`, but without file modification times. `ci` is left out because it contains
 * test values.
 */
export function packChart({ version, folder, output }) {
  const tar = archive(path.join(folder, 'deploy'), 'chart', { as: 'strongroom', without: ['chart/ci', 'chart/test'] });
  writeFileSync(path.join(output, `strongroom-chart-${version}.tgz`), run('gzip', ['--no-name', '-9'], { input: tar }));
}

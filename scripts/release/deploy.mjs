import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { archive } from './archive.mjs';
import { run } from './run.mjs';

/**
 * Packs the files that an installation without a checkout needs: systemd units, the compose file, alert rules, dashboards
 * and examples. The chart is a separate file.
 */
export function packDeploy({ version, folder, output }) {
  const without = ['deploy/chart', 'deploy/monitoring/tests'];
  const tar = archive(folder, 'deploy', { as: `strongroom-deploy-${version}`, without });
  const file = path.join(output, `strongroom-deploy-${version}.tgz`);
  writeFileSync(file, run('gzip', ['--no-name', '-9'], { input: tar }));
}

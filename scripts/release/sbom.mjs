import path from 'node:path';
import { run } from './run.mjs';

/** Lists every package that a server installs, as CycloneDX. */
export function writeSbom({ version, folder, output }) {
  const file = path.join(output, `strongroom-${version}-sbom.cdx.json`);
  run(process.execPath, [path.join(folder, 'deploy/image/write-sbom.mjs'), file]);
}

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run } from './run.mjs';
import { toSpdx } from './spdx.mjs';

/** Lists every package that a server installs, as CycloneDX and as SPDX. */
export function writeSbom({ version, committedAt, folder, output }) {
  const file = path.join(output, `strongroom-${version}-sbom.cdx.json`);
  run(process.execPath, [path.join(folder, 'deploy/image/write-sbom.mjs'), file]);
  const spdx = toSpdx(JSON.parse(readFileSync(file, 'utf8')), { version, committedAt });
  writeFileSync(path.join(output, `strongroom-${version}-sbom.spdx.json`), `${JSON.stringify(spdx, null, 1)}\n`);
}

import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Stops the release if its version is one of main, or if any file contains a version other than the tag's. */
export function requireSameVersion({ version, folder }) {
  if (version.endsWith('-dev')) {
    throw new Error(
      `${version} is the version of main. Set that of the release: node scripts/release/set-version.mjs <version>`,
    );
  }
  const found = {
    'server/package.json': JSON.parse(read('server/package.json')).version,
    'elements/package.json': JSON.parse(read('elements/package.json')).version,
    'deploy/chart/Chart.yaml, version': /^version: "?([^"\n]+)"?$/m.exec(read('deploy/chart/Chart.yaml'))?.[1],
    'deploy/chart/Chart.yaml, appVersion': /^appVersion: "?([^"\n]+)"?$/m.exec(read('deploy/chart/Chart.yaml'))?.[1],
  };
  const wrong = Object.entries(found).filter(([, one]) => one !== version);
  if (wrong.length === 0) return;
  const list = wrong.map(([place, one]) => `  ${place}: ${one}\n`).join('');
  throw new Error(`The tag says ${version}, but these say something else:\n${list}Set them, commit, and move the tag.`);

  function read(name) {
    return readFileSync(path.join(folder, name), 'utf8');
  }
}

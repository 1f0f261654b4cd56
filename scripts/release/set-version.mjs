// Sets the version everywhere: `node scripts/release/set-version.mjs 0.3.0`, and after the release
// `node scripts/release/set-version.mjs 0.4.0-dev`. main always has a version that ends with -dev.
import { readFileSync, writeFileSync } from 'node:fs';

const [version = ''] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+(-dev)?$/.test(version)) {
  process.stderr.write('Usage: node scripts/release/set-version.mjs <version>, such as 0.3.0 or 0.4.0-dev\n');
  process.exit(2);
}

for (const file of ['server/package.json', 'elements/package.json']) {
  replace(file, /^ {2}"version": "[^"]+"/m, `  "version": "${version}"`);
}
// The manifests for kustomize are written from the chart.
const before = /^appVersion: (.+)$/m.exec(readFileSync('deploy/chart/Chart.yaml', 'utf8'))[1];
for (const mention of ['app.kubernetes.io/version: ', 'image: localhost/strongroom:']) {
  replace(
    'deploy/kustomize/base/vault.yaml',
    new RegExp(`${mention}${before.replaceAll('.', '\\.')}$`, 'gm'),
    mention + version,
  );
}
for (const name of ['version', 'appVersion']) {
  replace('deploy/chart/Chart.yaml', new RegExp(`^${name}: .+$`, 'm'), `${name}: ${version}`);
}
for (const folder of ['server', 'elements']) {
  replace(
    'package-lock.json',
    new RegExp(`(^ {4}"${folder}": \\{\\n {6}"name": "[^"]+",\\n {6}"version": )"[^"]+"`, 'm'),
    `$1"${version}"`,
  );
}

function replace(file, pattern, text) {
  const before = readFileSync(file, 'utf8');
  if (!pattern.test(before)) throw new Error(`${file} has no version to replace.`);
  writeFileSync(file, before.replace(pattern, text));
}

// The licences of everything that a server installs and of what is built into its pages, from the lockfile.
//
// `node scripts/licenses.mjs check` fails on a licence that is not listed below; an exception names its package and its reason.
import { dependenciesOf, installedFor } from './installed-packages.mjs';

/** Ask for their notice to be kept, and for nothing else. */
const permissive = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Unlicense',
  'BlueOak-1.0.0',
]);

const exceptions = {
  // Loaded as a separate, unchanged package by `strongroom export` alone, which is what the LGPL asks of a program that uses a
  // library: whoever has ours can replace it. Nothing else for Node.js writes OpenPGP and is kept as well (ADR 4, ADR 16).
  openpgp: 'LGPL-3.0+',
};

/** Portal and card fields are built from their packages, the demonstration from the same. */
const shipped = [
  ...installedFor('server', dependenciesOf('server', 'dependencies', 'optionalDependencies')).values(),
  ...['portal', 'elements'].flatMap((workspace) => [
    ...installedFor(workspace, dependenciesOf(workspace, 'devDependencies').filter(isBuiltIn)).values(),
  ]),
];

/** Types and the bundler leave nothing in what they build. */
function isBuiltIn(name) {
  return !name.startsWith('@types/') && name !== 'vite';
}

/** `A OR B` lets us choose; with `A AND B` both have to be listed. */
function isAccepted(license) {
  const either = license.replaceAll(/[()]/g, '').split(' OR ');
  return either.some((one) => one.split(' AND ').every((part) => permissive.has(part)));
}

const refused = shipped.filter(({ name, license }) => !isAccepted(license ?? '') && exceptions[name] !== license);
const unused = Object.keys(exceptions).filter((name) => !shipped.some((one) => one.name === name));

for (const { name, license } of refused)
  process.stderr.write(
    `${name} is under ${license ?? 'no named licence'}, which scripts/licenses.mjs does not list. Replace the package, or add it there with the reason.\n`,
  );
for (const name of unused)
  process.stderr.write(`scripts/licenses.mjs has an exception for ${name}, which is not installed.\n`);
if (refused.length + unused.length > 0) process.exitCode = 1;

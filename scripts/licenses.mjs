// Checks the licences of everything that a server installs or that is built into its pages, from the lockfile.
//
// `node scripts/licenses.mjs check` fails on a licence that is not listed below. Each exception names its package and
// gives a reason.
import { dependenciesOf, installedFor } from './installed-packages.mjs';

/** Licences that only require keeping their notice. */
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
  // It is loaded by `strongroom export` alone, as a separate, unchanged package. That satisfies the LGPL, because users
  // can replace the library. No other maintained package for Node.js writes OpenPGP (ADR 4, ADR 16).
  openpgp: 'LGPL-3.0+',
};

/**
 * Everything that is shipped. Builds of the portal and the card fields contain their packages. The demo contains no
 * others.
 */
const shipped = [
  ...installedFor('server', dependenciesOf('server', 'dependencies', 'optionalDependencies')).values(),
  ...['portal', 'elements'].flatMap((workspace) => [
    ...installedFor(workspace, dependenciesOf(workspace, 'devDependencies').filter(isBuiltIn)).values(),
  ]),
];

/** Returns true if a build contains the package. Types and the bundler do not become part of the output. */
function isBuiltIn(name) {
  return !name.startsWith('@types/') && name !== 'vite';
}

/** Returns true if a licence is accepted. One side of `A OR B` is enough. Both sides of `A AND B` must be listed. */
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

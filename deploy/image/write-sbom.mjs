// Writes the components of a vault as CycloneDX: installed packages, and packages bundled into pages. The file has no
// serial number and no time, so that the same source creates the same file.
//
// Usage: node write-sbom.mjs <file> [<folder>]
//
// With the folder of an image, the list contains the packages in its node_modules, and Node.js.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { dependenciesOf, installedFor, neededBy } from '../../scripts/installed-packages.mjs';

const [output = 'sbom.cdx.json', root] = process.argv.slice(2);
const read = (file) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));
const { version, license } = read('server/package.json');
const vendored = read('server/assets/vendor/pinned.json');
/** Dependencies of the portal that only build it or describe types. */
const builds = /^(vite|@types\/.*)$/;

function purlOf(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function isThere(place) {
  return root === undefined || existsSync(path.join(root, place));
}

function fromLock({ name, version, license, integrity }, where) {
  return toComponent({ full: name, version, license, integrity, where });
}

function toComponent({ full, version, license, integrity, where }) {
  const [name, group] = full.split('/').toReversed();
  const purl = purlOf(full, version);
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group === undefined ? {} : { group }),
    name,
    version,
    ...(integrity === undefined ? {} : { hashes: [toHash(integrity)] }),
    ...(license === undefined ? {} : { licenses: [toLicence(license)] }),
    purl,
    properties: [{ name: 'strongroom:where', value: where }],
  };
}

function toHash(integrity) {
  const [algorithm, digest = ''] = integrity.split('-');
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') };
}

function toLicence(license) {
  return / |\(/.test(license) ? { expression: license } : { license: { id: license } };
}

const wanted = installedFor('server', dependenciesOf('server', 'dependencies', 'optionalDependencies'));
const installed = new Map([...wanted].filter(([place]) => isThere(place)));
const bundled = installedFor(
  'portal',
  dependenciesOf('portal', 'devDependencies').filter((name) => !builds.test(name)),
);
const own = purlOf('strongroom', version);

/** Added only for an image. A package runs on the Node.js of the machine where it is installed. */
const node = {
  type: 'platform',
  'bom-ref': 'node',
  name: 'node',
  version: process.versions.node,
  licenses: [toLicence('MIT')],
  purl: `pkg:generic/node@${process.versions.node}`,
};
const components = [
  ...(root === undefined ? [] : [node]),
  ...[...installed.values()].map((one) => fromLock(one, 'node_modules')),
  ...[...bundled.values()].map((one) => fromLock(one, 'bundled into pages of the portal')),
  ...vendored.map(({ package: full, version: one, license, archive, files }) =>
    toComponent({
      full,
      version: one,
      license,
      integrity: archive,
      where: files.map(({ file }) => `server/assets/vendor/${file}`).join(', '),
    }),
  ),
];
const unique = [...new Map(components.map((one) => [one['bom-ref'], one])).values()];

function inOrder(a, b) {
  return a < b ? -1 : 1;
}

function refsOf(places) {
  const there = places.flatMap((place) => installed.get(place) ?? []);
  return [...new Set(there.map((one) => fromLock(one, '').purl))].toSorted(inOrder);
}

const graph = [...installed].map(([place, one]) => ({
  ref: fromLock(one, '').purl,
  dependsOn: refsOf(neededBy(place)),
}));

const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: {
    component: {
      type: 'application',
      'bom-ref': own,
      name: 'strongroom',
      version,
      licenses: [toLicence(license)],
      purl: own,
    },
  },
  components: unique.toSorted((a, b) => inOrder(a['bom-ref'], b['bom-ref'])),
  dependencies: [
    { ref: own, dependsOn: [...(root === undefined ? [] : ['node']), ...refsOf(neededBy('server'))] },
    ...[...new Map(graph.map((one) => [one.ref, one])).values()].toSorted((a, b) => inOrder(a.ref, b.ref)),
  ],
};
writeFileSync(output, `${JSON.stringify(bom, null, 1)}\n`);
process.stdout.write(`${bom.components.length} components.\n`);

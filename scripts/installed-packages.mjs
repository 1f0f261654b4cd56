// Finds the packages that an install would add. It reads the lockfile, so nothing has to be installed.
import { readFileSync } from 'node:fs';

const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));

/** Returns the names of a workspace's direct dependencies. */
export function dependenciesOf(workspace, ...kinds) {
  return kinds.flatMap((kind) => Object.keys(packages[workspace][kind] ?? {}));
}

/**
 * Returns everything that these dependencies of a workspace install, at all levels and for every platform. Keys are
 * paths in the lockfile, values are its entries.
 */
export function installedFor(workspace, names) {
  const found = new Map();
  const waiting = names.map((name) => locate(workspace, name));
  for (let path = waiting.pop(); path !== undefined || waiting.length > 0; path = waiting.pop()) {
    if (path === undefined || found.has(path)) continue;
    found.set(path, { ...packages[path], name: path.split('node_modules/').at(-1) });
    waiting.push(...neededBy(path));
  }
  return found;
}

/**
 * Returns the paths of a package's dependencies, with undefined for those missing from the lockfile. Optional peers are
 * ignored.
 */
export function neededBy(path) {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[path];
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional !== true);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers].map((name) => locate(path, name));
}

/**
 * Returns the path where Node.js finds a package imported from this folder: in the folder itself, or in the nearest
 * parent folder that has the package.
 */
function locate(folder, name) {
  const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
  if (packages[path] !== undefined) return path;
  if (folder === '') return undefined;
  const above = folder.lastIndexOf('/node_modules/');
  return locate(above < 0 ? '' : folder.slice(0, above), name);
}

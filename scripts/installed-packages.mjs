// Which packages an install brings, read from the lockfile, so that nothing has to be installed to know.
import { readFileSync } from 'node:fs';

const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));

/** What a workspace of this repository asks for, by name. */
export function dependenciesOf(workspace, ...kinds) {
  return kinds.flatMap((kind) => Object.keys(packages[workspace][kind] ?? {}));
}

/** Everything that these dependencies of a workspace install, all levels and every platform: path to entry of the lockfile. */
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

/** The paths of what a package asks for; undefined for what is not in the lockfile. Optional peers are nobody's need. */
export function neededBy(path) {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[path];
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional !== true);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers].map((name) => locate(path, name));
}

/** Where Node.js finds a package that is imported in this folder: there, or in the next folder above that has it. */
function locate(folder, name) {
  const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
  if (packages[path] !== undefined) return path;
  if (folder === '') return undefined;
  const above = folder.lastIndexOf('/node_modules/');
  return locate(above < 0 ? '' : folder.slice(0, above), name);
}

// How many packages a server installs (`npm ci --omit=dev`), all levels and every platform: each is code of somebody else in a
// process that holds keys. ADR 27 says why these stay.
//
// `node scripts/runtime-packages.mjs check` fails when there are more or fewer than counted below, so that the number changes
// on purpose only. `node scripts/runtime-packages.mjs list` shows which dependency brings how many that no other needs.
import { readFileSync } from 'node:fs';

const counted = 120;

const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
const server = { ...packages.server.dependencies, ...packages.server.optionalDependencies };

/** Where Node.js finds a package that is imported in this folder: there, or in the next folder above that has it. */
function locate(folder, name) {
  const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
  if (packages[path] !== undefined) return path;
  if (folder === '') return undefined;
  const above = folder.lastIndexOf('/node_modules/');
  return locate(above < 0 ? '' : folder.slice(0, above), name);
}

/** Names with versions of everything that these dependencies of the server install. */
function install(names) {
  const found = new Map();
  const waiting = names.map((name) => locate('server', name));
  for (let path = waiting.pop(); path !== undefined || waiting.length > 0; path = waiting.pop()) {
    if (path === undefined || found.has(path)) continue;
    const { version, dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[path];
    found.set(path, `${path.split('node_modules/').at(-1)}@${version}`);
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional !== true);
    const needed = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
    waiting.push(...needed.map((name) => locate(path, name)));
  }
  return new Set(found.values());
}

const names = Object.keys(server);
const all = install(names);

function check() {
  if (all.size === counted) return;
  process.stderr.write(
    `A server installs ${all.size} packages; scripts/runtime-packages.mjs says ${counted}. ` +
      `\`node scripts/runtime-packages.mjs list\` shows who brings them. If they are worth it, write the new number there.\n`,
  );
  process.exitCode = 1;
}

function list() {
  for (const name of names) {
    const others = install(names.filter((other) => other !== name));
    const own = [...install([name])];
    const exclusive = own.filter((one) => !others.has(one));
    process.stdout.write(`${name}: ${own.length}, of which ${exclusive.length} for it alone\n`);
  }
  process.stdout.write(`in all: ${all.size}\n`);
}

if (process.argv[2] === 'list') list();
else check();

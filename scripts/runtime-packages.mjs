// Counts the packages that a server installs (`npm ci --omit=dev`), at all levels and for every platform. Each is
// third-party code in a process that holds keys. ADR 27 explains why these are kept.
//
// `node scripts/runtime-packages.mjs check` fails if the number differs from the one below, so that it only changes on
// purpose. `node scripts/runtime-packages.mjs list` shows how many packages each dependency adds that no other
// dependency needs.
import { dependenciesOf, installedFor } from './installed-packages.mjs';

const counted = 121;

/** Returns the names and versions of everything that these dependencies of the server install. */
function install(names) {
  return new Set([...installedFor('server', names).values()].map(({ name, version }) => `${name}@${version}`));
}

const names = dependenciesOf('server', 'dependencies', 'optionalDependencies');
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

// How many packages a server installs (`npm ci --omit=dev`), all levels and every platform: each is code of somebody else in a
// process that holds keys. ADR 27 says why these stay.
//
// `node scripts/runtime-packages.mjs check` fails when there are more or fewer than counted below, so that the number changes
// on purpose only. `node scripts/runtime-packages.mjs list` shows which dependency brings how many that no other needs.
import { dependenciesOf, installedFor } from './installed-packages.mjs';

const counted = 121;

/** Names with versions of everything that these dependencies of the server install. */
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

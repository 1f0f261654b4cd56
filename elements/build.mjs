// Builds the files that the vault serves into server/assets/elements, with a manifest of hashes. It also builds the
// demo shop of `strongroom dev` into server/assets/elements-demo, and the npm package into dist.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const served = here('../server/assets/elements/');
const shop = here('../server/assets/elements-demo/');
const packaged = here('dist/');
const { version } = JSON.parse(readFileSync(here('package.json'), 'utf8'));

/**
 * Bundles an entry and its dependencies into one file. Packages listed in `external` are not bundled. The page provides
 * them.
 */
async function bundle(entry, { format, external = [] }) {
  const [output] = await build({
    root: here('.'),
    configFile: false,
    logLevel: 'warn',
    build: {
      target: 'es2022',
      write: false,
      minify: true,
      lib: { entry: here(entry), formats: [format], name: 'strongroomElements' },
      rolldownOptions: { external, checks: { moduleLevelDirective: false } },
    },
  });
  return output.output[0].code;
}

function emptied(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

emptied(served);
const files = {
  'client.js': await bundle('client/script.ts', { format: 'iife' }),
  'controller.js': await bundle('frames/controller/main.ts', { format: 'es' }),
  'field.js': await bundle('frames/field/main.ts', { format: 'es' }),
  'field.css': readFileSync(here('frames/field/field.css'), 'utf8'),
};
const hash = createHash('sha256');
const integrity = {};
for (const [name, text] of Object.entries(files)) {
  const zipped = gzipSync(text, { level: 9 });
  writeFileSync(`${served}${name}`, text);
  writeFileSync(`${served}${name}.gz`, zipped);
  hash.update(`${name}\0${text}\0`);
  integrity[name] = `sha384-${createHash('sha384').update(text).digest('base64')}`;
  process.stdout.write(`${name.padEnd(16)} ${(zipped.length / 1000).toFixed(2).padStart(6)} kB gz\n`);
}
const manifest = { version: `${version}-${hash.digest('hex').slice(0, 12)}`, files: integrity };
writeFileSync(`${served}manifest.json`, `${JSON.stringify(manifest, null, 2)}\n`);

emptied(shop);
writeFileSync(`${shop}shop.js`, await bundle('demo/main.ts', { format: 'es' }));
for (const name of ['index.html', 'shop.css']) writeFileSync(`${shop}${name}`, readFileSync(here(`demo/${name}`)));

emptied(packaged);
const client = await bundle('client/index.ts', { format: 'es' });
const react = await bundle('react/index.ts', {
  format: 'es',
  external: ['react', 'react/jsx-runtime', 'strongroom-elements'],
});
writeFileSync(`${packaged}index.js`, client);
writeFileSync(`${packaged}react.js`, react);
process.stdout.write(
  `${'react.js'.padEnd(16)} ${(gzipSync(react, { level: 9 }).length / 1000).toFixed(2).padStart(6)} kB gz\n`,
);

// Builds the files that the vault serves into server/assets/elements, with a manifest of hashes. It also builds the
// demo shop of `strongroom dev` into server/assets/elements-demo, and the npm package into dist.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  'controller.js': await bundle('frames/controller/main.ts', { format: 'iife' }),
  'field.js': await bundle('frames/field/main.ts', { format: 'iife' }),
  'texts.js': await bundle('frames/texts.ts', { format: 'es' }),
  'marks.js': await bundle('frames/marks.ts', { format: 'es' }),
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
writeFileSync(`${shop}index.html`, readFileSync(here('demo/index.html')));
// The shop has its own origin, so it brings the colours and the typeface of the vault's pages.
const styles = ['../server/assets/tokens.css', 'demo/shop.css'].map((name) => readFileSync(here(name), 'utf8'));
writeFileSync(`${shop}shop.css`, styles.join('\n'));
writeFileSync(`${shop}inter.woff2`, readFileSync(here('../server/assets/vendor/inter-latin.woff2')));

emptied(packaged);
writeFileSync(`${packaged}index.js`, await bundle('client/index.ts', { format: 'es' }));
mkdirSync(`${packaged}svelte`);
const wrappers = {
  'react.js': await bundle('react/index.ts', {
    format: 'es',
    external: ['react', 'react/jsx-runtime', 'strongroom-elements'],
  }),
  'vue.js': await bundle('vue/index.ts', { format: 'es', external: ['vue', 'strongroom-elements'] }),
  'svelte/index.js': await bundle('svelte/index.ts', {
    format: 'es',
    external: ['svelte', 'svelte/store', 'strongroom-elements'],
  }),
};
for (const [name, code] of Object.entries(wrappers)) {
  // Frameworks that render on a server must not run these components there.
  const text = name === 'react.js' ? `'use client';\n${code}` : code;
  writeFileSync(`${packaged}${name}`, text);
  process.stdout.write(
    `${name.padEnd(16)} ${(gzipSync(text, { level: 9 }).length / 1000).toFixed(2).padStart(6)} kB gz\n`,
  );
}
for (const name of ['StrongroomElement.svelte', 'StrongroomElement.svelte.d.ts'])
  copyFileSync(here(`svelte/${name}`), `${packaged}svelte/${name}`);

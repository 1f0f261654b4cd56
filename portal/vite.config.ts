import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const folder = fileURLToPath(new URL('../server/assets/portal/', import.meta.url));

/** Compresses files at build time, because the vault does not compress anything itself. */
const compressed: Plugin = {
  name: 'compressed',
  closeBundle() {
    for (const file of readdirSync(folder)) {
      if (/\.(js|css|svg)$/.test(file)) writeFileSync(`${folder}${file}.gz`, gzipSync(readFileSync(folder + file)));
    }
  },
};

export default defineConfig({
  base: '/portal/app/',
  build: {
    outDir: folder,
    emptyOutDir: true,
    assetsDir: '',
    // The target is browsers of the last two years. No script preloads modules, and no asset is inlined into the page.
    target: 'es2024',
    modulePreload: false,
    assetsInlineLimit: 0,
    // The bundles contain libraries, so their licence notices must be included.
    license: { fileName: 'licenses.md' },
    // The `use client` directives of libraries have no effect here.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  plugins: [compressed],
});

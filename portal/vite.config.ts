import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const folder = fileURLToPath(new URL('../server/assets/portal/', import.meta.url));

/** The vault sends what was compressed here; it compresses nothing itself. */
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
    // Browsers of the last two years. Nothing is loaded ahead by a script, and nothing is written into the page.
    target: 'es2024',
    modulePreload: false,
    assetsInlineLimit: 0,
    // Libraries are in our files: so are their notices.
    license: { fileName: 'licenses.md' },
    // `use client` of libraries means nothing here.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  plugins: [compressed],
});

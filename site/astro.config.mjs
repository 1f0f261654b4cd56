import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';
import { base } from './places.mjs';
import { scriptFiles } from './script-files.mjs';
import { sidebar } from './sidebar.mjs';

export default defineConfig({
  base,
  outDir: '../server/assets/guide',
  trailingSlash: 'always',
  // Nothing is asked of other hosts, while it is built or read.
  devToolbar: { enabled: false },
  integrations: [
    starlight({
      title: 'Strongroom',
      description: 'Self-hosted tokenization for cards, bank accounts and personal data.',
      favicon: '/icon.svg',
      sidebar,
      customCss: ['./src/look.css'],
      // No window around a block of code: it is something to paste.
      expressiveCode: { defaultProps: { frame: 'none' } },
    }),
    scriptFiles(),
  ],
});

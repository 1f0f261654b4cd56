import { defineConfig } from 'vite';

export default defineConfig({
  base: '/built/',
  build: { rolldownOptions: { input: ['index.html', 'card.html'].map((page) => `${import.meta.dirname}/${page}`) } },
});

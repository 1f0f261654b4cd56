import path from 'node:path';
import { rolldown, type Plugin } from 'rolldown';
import { compile } from 'svelte/compiler';

const pages = path.resolve(import.meta.dirname, '../../../elements/pages');
const entries = { react: 'react.jsx', vue: 'vue.js', svelte: 'svelte.js' } as const;

export type Framework = keyof typeof entries;
export const frameworks = ['react', 'vue', 'svelte'] as const satisfies readonly Framework[];

/** Bundles the page that tests use the components of a framework in. It is the script of a module. */
export async function bundlePage(framework: Framework): Promise<string> {
  const build = await rolldown({
    input: path.join(pages, entries[framework]),
    platform: 'browser',
    resolve: { conditionNames: ['svelte', 'browser', 'import', 'default'] },
    transform: {
      define: {
        'process.env.NODE_ENV': '"production"',
        __VUE_OPTIONS_API__: 'true',
        __VUE_PROD_DEVTOOLS__: 'false',
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
      },
    },
    plugins: [compileSvelte],
    logLevel: 'warn',
    checks: { moduleLevelDirective: false },
  });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false });
  await build.close();
  return output[0].code;
}

const compileSvelte: Plugin = {
  name: 'compile-svelte',
  transform: {
    filter: { id: /\.svelte$/ },
    handler: (code, filename) => compile(code, { filename, generate: 'client' }).js.code,
  },
};

import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** A package as its users load it, with its name in the compatibility table. */
export interface PublishedPackage {
  readonly name: string;
  /** The page in `pages/` that uses it. */
  readonly page: string;
  /** Replacements for the package names in that page, for versions other than the newest. */
  readonly alias?: Readonly<Record<string, string>>;
}

export const webElements: readonly PublishedPackage[] = [
  { name: 'web-elements 2.17.0', page: 'web-elements.ts' },
  {
    name: 'web-elements 1.24.2',
    page: 'web-elements.ts',
    alias: { '@basis-theory/web-elements': '@basis-theory/web-elements-1' },
  },
];

export const reactElements: readonly PublishedPackage[] = [
  { name: 'react-elements 2.17.0', page: 'react.tsx' },
  {
    name: 'react-elements 1.24.2',
    page: 'react.tsx',
    alias: {
      '@basis-theory/react-elements': '@basis-theory/react-elements-1',
      react: 'react-18',
      'react-dom': 'react-dom-18',
    },
  },
];

export const browserPackage: PublishedPackage = { name: 'basis-theory-js 4.30.2', page: 'basis-theory-js.ts' };

/** Bundles the page and the package into one script, like a shop would. */
export async function bundle({ page, alias = {} }: PublishedPackage): Promise<string> {
  const folder = fileURLToPath(new URL('../pages/', import.meta.url));
  const [output] = (await build({
    root: folder,
    configFile: false,
    logLevel: 'warn',
    resolve: { alias },
    // Vite would otherwise build for development, because the suite runs in test mode.
    oxc: { jsx: { runtime: 'automatic', development: false } },
    define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
    build: {
      target: 'es2022',
      write: false,
      minify: false,
      lib: { entry: `${folder}${page}`, formats: ['iife'], name: 'shop' },
    },
  })) as { output: { code?: string }[] }[];
  const code = output?.output[0]?.code;
  if (code === undefined) throw new Error(`${page} was not built.`);
  return code;
}

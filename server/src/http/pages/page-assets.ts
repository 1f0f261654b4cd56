import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pageOptions } from './page-reply.ts';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The files of server-rendered pages. The style sheets import and load the others. */
const files = [
  'look.css',
  'tokens.css',
  'fonts.css',
  'portal.css',
  'frame.css',
  'portal.js',
  'icon.svg',
  'vendor/inter-latin.woff2',
  'vendor/inter-latin-ext.woff2',
  'vendor/geist-mono-latin.woff2',
  'vendor/geist-mono-latin-ext.woff2',
] as const;

/** A typeface changes once in years, so browsers may keep it for a week without asking. */
const keptAWeek = 'public, max-age=604800';

/** Serves the files under `/portal/assets/`. `assets/` is next to `src/` and `dist/`, so the same path works for both. */
export function addPageAssets(app: FastifyInstance): void {
  for (const file of files) {
    const bytes = readFileSync(new URL(`../../../assets/${file}`, import.meta.url));
    const type = types[path.extname(file)] ?? 'application/octet-stream';
    app.get(`/portal/assets/${file}`, pageOptions, (_request, reply) => {
      if (file.endsWith('.woff2')) reply.header('cache-control', keptAWeek);
      return reply.type(type).send(bytes);
    });
  }
}

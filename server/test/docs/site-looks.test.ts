import fastify, { type FastifyInstance } from 'fastify';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  addDocumentationSite,
  documentationPath,
  readDocumentationSite,
} from '../../src/http/pages/documentation-site.ts';
import { complaintsAbout, injectAxe } from '../harness/accessible.ts';
import { Chromium } from '../harness/chromium.ts';

/** Pages that have everything a page can have: tables, pictures, tabs, a calculator, code, notes and long words. */
const sample = ['', 'guides/charge-a-card/', 'operate/sizing/', 'reference/errors/'];
const looks = [
  { colorScheme: 'light', width: 1400 },
  { colorScheme: 'dark', width: 375 },
] as const;
const files = await readDocumentationSite();

/** Returns the pages to test. With `npm run test:site`, these are all of them. */
function listPages(): string[] {
  if (process.env['DOCUMENTATION_PAGES'] !== 'all') return sample;
  return [...files].filter((file) => file.endsWith('index.html')).map((file) => file.replace(/index\.html$/, ''));
}

let app: FastifyInstance;
let url: string;
let chromium: Chromium;
let page: Page;
beforeAll(async () => {
  if (files.size === 0) throw new Error('The site has not been built. Run: npm run docs');
  app = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  addDocumentationSite(app, files);
  [url, chromium] = await Promise.all([app.listen({ port: 0, host: '127.0.0.1' }), Chromium.start()]);
  ({ page } = await chromium.open({ bypassCSP: true, reducedMotion: 'reduce' }));
});
afterAll(async () => {
  await chromium.stop();
  await app.close();
});

it.each(listPages())('/%s is accessible and fits, in light on a large screen and in dark on a phone', async (path) => {
  const found: string[] = [];
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${url}${documentationPath}${path}`);
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe(colorScheme);
    await injectAxe(page);
    found.push(...(await complaintsAbout(page, `${colorScheme}, ${width}`)));
  }
  expect(found).toEqual([]);
});

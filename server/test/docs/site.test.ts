import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addDocumentationSite,
  documentationPath,
  readDocumentationSite,
} from '../../src/http/pages/documentation-site.ts';
import { Chromium } from '../harness/chromium.ts';
import { repository } from './documentation.ts';

const built = path.join(repository, 'server/assets/guide');

let app: FastifyInstance;
let url: string;
let files: ReadonlySet<string>;
/** The pages of the site by address. */
let pages: ReadonlyMap<string, string>;
beforeAll(async () => {
  files = await readDocumentationSite();
  if (files.size === 0) throw new Error('The site has not been built. Run: npm run docs');
  const html = [...files].filter((file) => file.endsWith('index.html'));
  pages = new Map(
    html.map((file) => [
      `${documentationPath}${file.replace(/index\.html$/, '')}`,
      readFileSync(path.join(built, file), 'utf8'),
    ]),
  );
  // The options match how the vault parses addresses.
  app = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  addDocumentationSite(app, files);
  url = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

const unescape = (text: string) => text.replaceAll('&#x26;', '&').replaceAll('&amp;', '&');
const addressesIn = (page: string, attribute: 'href' | 'src') =>
  [...page.matchAll(new RegExp(`\\b${attribute}="([^"]*)"`, 'g'))].map(([, found = '']) => unescape(found));

/** Comments, and tags with their attributes. The button that copies a block of code has that code in an attribute. */
const tags = /<!--[^]*?-->|<(\/?[a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^"'>])*)>/gi;
const inlineScriptsIn = (page: string) =>
  [...page.matchAll(tags)]
    .filter(([, name, attributes = '']) => name?.toLowerCase() === 'script' && !/\bsrc=/.test(attributes))
    .map(([tag]) => tag);

/** Returns the links that a reader can click on a page, without the heading. */
const linksOf = (address: string) =>
  addressesIn(pages.get(address) ?? '', 'href').map((link) => new URL(link, `http://site${address}`).pathname);

describe('the site', () => {
  it('has every page of docs/, and each can be reached from the front page', () => {
    const sources = readdirSync(path.join(repository, 'docs'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.md'),
    );
    expect(pages.size).toBe(sources.length);
    const front = new Set(linksOf(documentationPath));
    expect([...pages.keys()].filter((address) => !front.has(address))).toEqual([]);
  });

  it('has no link that leads nowhere, to a page or to a heading', () => {
    const dead = [...pages].flatMap(([address, page]) =>
      [...addressesIn(page, 'href'), ...addressesIn(page, 'src')].flatMap((link) => {
        const { origin, pathname, hash } = new URL(link, `http://site${address}`);
        if (origin !== 'http://site') return [];
        const target = pages.get(pathname);
        const isFile = files.has(pathname.slice(documentationPath.length));
        if (target === undefined) return isFile ? [] : [`${address} → ${link}`];
        const isThere = hash === '' || target.includes(`id="${decodeURIComponent(hash.slice(1))}"`);
        return isThere ? [] : [`${address} → ${link}`];
      }),
    );
    expect(dead).toEqual([]);
  });

  it('loads nothing from elsewhere and has no script in its pages', () => {
    for (const [address, page] of pages) {
      expect([address, addressesIn(page, 'src').filter((source) => !source.startsWith('/docs/guide/'))]).toEqual([
        address,
        [],
      ]);
      expect([address, inlineScriptsIn(page)]).toEqual([address, []]);
    }
  });

  it.each<[string, string, string]>([
    ['the retention of codes', 'concepts/tokens/', 'How long verification codes are kept'],
    ['how to rotate a root key', 'guides/rotate-keys/', 'A new root key'],
    ['how to give an auditor access', 'operate/give-an-auditor-access/', 'READ_ONLY'],
    ['the size of a vault for 10⁸ tokens', 'operate/sizing/', '10⁸'],
    ['what to do about a lost management key', 'operate/disaster/', 'management key'],
  ])('has %s within two clicks of the front page', (_, page, text) => {
    const address = `${documentationPath}${page}`;
    const first = linksOf(documentationPath);
    expect([...first, ...first.flatMap(linksOf)]).toContain(address);
    expect(pages.get(address)).toContain(text);
  });
});

describe('in a browser', () => {
  let browser: Chromium;
  beforeAll(async () => {
    browser = await Chromium.start();
  });
  afterAll(() => browser.stop());

  it('finds a page by search, without asking anybody else, and breaks no policy', async () => {
    const { page, complaints } = await browser.open();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${url}${documentationPath}`);
    await browser.photograph(page, 'documentation');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('textbox', { name: 'Search' }).fill('rotate root key');
    await page.getByRole('dialog').getByRole('link', { name: 'Rotate keys' }).first().click();
    await page.waitForURL(({ pathname }) => pathname === `${documentationPath}guides/rotate-keys/`);
    expect(asked.filter((address) => !address.startsWith(`${url}${documentationPath}`))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('calculates what the script on the page about sizing prints', async () => {
    const { page, complaints } = await browser.open();
    await page.goto(`${url}${documentationPath}operate/sizing/`);
    const text = await page.locator('pre', { hasText: 'BYTES_PER_TOKEN=' }).innerText();
    const { stdout } = await promisify(execFile)('bash', ['-c', text]);
    const printed = [...stdout.matchAll(/in MB: (\d+)/g)].map(([, size]) => `${(Number(size) / 1_000).toFixed(1)} GB`);
    expect(printed).toHaveLength(2);
    const form = page.locator('form.calculator');
    const shown = async () =>
      [...((await form.locator('output').textContent()) ?? '').matchAll(/[\d.]+ [GT]B/g)].map(String).slice(0, 2);
    expect(await shown()).toEqual(printed);
    await form.getByLabel('Tokens').fill('100000000');
    expect(await shown()).not.toEqual(printed);
    await browser.photograph(page, 'calculator');
    expect(complaints).toEqual([]);
  });

  it('shows a call in the language that was chosen, by mouse or keyboard, on this page and the next', async () => {
    const { page, complaints } = await browser.open();
    await page.goto(`${url}${documentationPath}guides/charge-a-card/`);
    const tabs = page.getByRole('tablist', { name: 'Language' });
    const panels = page.getByRole('tabpanel');
    const count = await tabs.count();
    expect(count).toBeGreaterThan(3);
    expect(await tabs.first().getByRole('tab').allTextContents()).toEqual(['curl', 'TypeScript', 'Python', 'Go']);
    expect(await panels.count()).toBe(count);
    expect(await panels.first().textContent()).toContain('curl "$VAULT_URL/applications"');

    await tabs.last().getByRole('tab', { name: 'Python' }).click();
    expect(await panels.count()).toBe(count);
    expect(await panels.first().textContent()).toContain('requests.post');
    await page.keyboard.press('ArrowRight');
    expect(await panels.first().textContent()).toContain('send("POST"');
    expect(await tabs.last().getByRole('tab', { name: 'Go' }).getAttribute('aria-selected')).toBe('true');

    await page.goto(`${url}${documentationPath}start/first-proxy-call/`);
    expect(await panels.first().textContent()).toContain('send("POST"');
    await browser.photograph(page, 'tabs');
    expect(complaints).toEqual([]);
  });
});

describe('the vault', () => {
  it('serves files of the site and no others', async () => {
    for (const path of [
      '../vendor/scalar.js',
      '..%2fvendor%2fscalar.js',
      '%2e%2e/vendor/scalar.js',
      'images',
      'nothing',
    ]) {
      const { status, headers } = await fetch(`${url}${documentationPath}${path}`, { redirect: 'manual' });
      expect([path, status]).toEqual([path, 404]);
      expect(headers.get('content-type')).not.toContain('javascript');
    }
  });

  it('leads from an address without a slash to the page', async () => {
    for (const address of [documentationPath, `${documentationPath}guides/rotate-keys/`]) {
      const response = await fetch(`${url}${address.slice(0, -1)}`, { redirect: 'manual' });
      expect(response.headers.get('location')).toBe(address);
      expect((await fetch(`${url}${address}`, { redirect: 'manual' })).status).toBe(200);
    }
  });
});

import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { VaultServer } from '../../src/app/serve/vault-server.ts';
import { readServerConfig } from '../../src/platform/config/config.ts';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { Chromium } from '../harness/chromium.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/**
 * The reference is a large third-party program on the portal's origin. A script injected into it would run with the
 * reader's session. The page may therefore run only its own scripts, and nobody may frame it.
 */
let database: TestDatabase;
let server: VaultServer;
let bare: VaultServer;
let chromium: Chromium;
let url: string;

beforeAll(async () => {
  [database, chromium] = await Promise.all([createTestDatabase(), Chromium.start()]);
  server = await start({});
  bare = await start({ STRONGROOM_API_REFERENCE: 'false' });
  url = new URL(server.url).origin.replace('127.0.0.1', 'localhost');
});
afterAll(async () => {
  await chromium.stop();
  await Promise.all([server.stop(), bare.stop()]);
  await database.drop();
});

const rootKey = generateRootKey();
async function start(settings: Readonly<Record<string, string>>): Promise<VaultServer> {
  const port = await findFreePort();
  const config = readServerConfig({
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_DATABASE_CONNECTIONS: '4',
    STRONGROOM_ROOT_KEY: rootKey,
    STRONGROOM_PUBLIC_URL: `http://localhost:${port}`,
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_PORT: String(port),
    STRONGROOM_ADMIN_PORT: '0',
    STRONGROOM_RATE_LIMITS: 'off',
    ...settings,
  });
  return VaultServer.start(config, { info: () => undefined, warn: () => undefined, error: () => undefined });
}

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${server.url}${path}`, { headers, redirect: 'manual' });

/** Returns the sources that a policy lists for a directive. */
function sourcesOf(answer: Response, directive: string): string[] {
  const policy = answer.headers.get('content-security-policy') ?? '';
  const [found = ''] = policy.split('; ').filter((part) => part.startsWith(`${directive} `));
  return found.split(' ').slice(1);
}

describe('what is served at / and under /docs', () => {
  const pages = [
    '/',
    '/docs/',
    '/docs',
    '/docs/js/scalar.js',
    '/docs/js/reference.js',
    '/docs/errors',
    '/docs/errors/not-found',
  ];

  it.each(pages)('may be framed by nobody: %s', async (path) => {
    const answer = await get(path);
    expect(sourcesOf(answer, 'frame-ancestors')).toEqual([`'none'`]);
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
  });

  it.each(pages)('loads nothing that is not named, and sends no forms: %s', async (path) => {
    const answer = await get(path);
    for (const directive of ['default-src', 'base-uri', 'form-action']) {
      expect([directive, sourcesOf(answer, directive)]).toEqual([directive, [`'none'`]]);
    }
  });

  it.each(pages)('runs no script that could have been put there: %s', async (path) => {
    for (const source of sourcesOf(await get(path), 'script-src')) {
      expect(source).toBe(`'self'`);
    }
    expect((await get(path)).headers.get('content-security-policy')).not.toBeNull();
  });

  it.each(pages)('says nothing to other sites, and is what it says it is: %s', async (path) => {
    const { headers } = await get(path);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each(['/docs/', '/docs/js/scalar.js', '/docs/js/reference.js'])(
    'is asked for once and then only whether it changed: %s',
    async (path) => {
      const first = await get(path);
      const etag = first.headers.get('etag') ?? '';
      expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-cache']);
      const again = await get(path, { 'if-none-match': etag });
      expect([again.status, (await again.text()).length]).toEqual([304, 0]);
      expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    },
  );

  it.each(['/', '/docs/'])('is not read by other origins: %s', async (path) => {
    const answer = await get(path, { origin: 'https://evil.example' });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('does not fail for a client that names no host', async () => {
    const answer = await sendRaw(server.url, 'GET /docs/ HTTP/1.0\r\n\r\n');
    expect(answer.status).toBeLessThan(500);
  });
});

describe('the page at /', () => {
  it('says what this is to anybody, and nothing about this installation', async () => {
    const page = await (await get('/')).text();
    expect(page).toContain('This is a vault.');
    // The coordinates of the mark look like versions.
    const text = page.replaceAll(/ d="[\d. MLHVAZa-z-]+"/g, '');
    expect(text.match(/\d+\.\d+|tenant|strongroom dev|metrics|readyz|localhost|127\.0\.0\.1/i)).toBeNull();
    expect(page).toBe(await (await fetch(`${server.url}/`, { headers: { 'bt-api-key': 'x' } })).text());
  });

  it('has no documentation: that is for development', async () => {
    expect((await get('/docs/guide/')).status).toBe(404);
  });
});

describe('with the reference switched off', () => {
  it.each(['/docs', '/docs/', '/docs/js/scalar.js', '/docs/js/reference.js', '/openapi.json'])(
    'there is no %s',
    async (path) => {
      expect((await fetch(`${bare.url}${path}`, { redirect: 'manual' })).status).toBe(404);
    },
  );

  it('nothing leads there', async () => {
    const [whole, reduced] = await Promise.all(
      [get('/'), fetch(`${bare.url}/`)].map(async (one) => (await one).text()),
    );
    expect(whole).toContain('href="/docs"');
    expect(reduced).not.toContain('href="/docs"');
  });

  it('errors are explained all the same', async () => {
    expect((await fetch(`${bare.url}/docs/errors/not-found`)).status).toBe(200);
  });
});

/** Injects scripts into the page in the usual ways, and reports which of them ran. */
const injection = `(async () => {
  window.ran = [];
  const inline = document.createElement('script');
  inline.textContent = "window.ran.push('inline')";
  const holder = document.createElement('div');
  holder.innerHTML = '<img src="x" onerror="window.ran.push(1)">';
  const remote = document.createElement('script');
  remote.src = "data:text/javascript,window.ran.push('remote')";
  setTimeout("window.ran.push('text')");
  document.body.append(inline, holder, remote);
  await new Promise((resolve) => { remote.onerror = resolve; remote.onload = resolve; });
  return window.ran;
})()`;

describe('the reference in a browser', () => {
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  let strangers: string[];
  let missing: string[];
  beforeEach(async () => {
    ({ context, page, complaints } = await chromium.open());
    strangers = [];
    missing = [];
    page.on('response', (response) => {
      if (response.status() >= 400) missing.push(new URL(response.url()).pathname);
    });
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== url && !/^(data|blob):/.test(request.url())) strangers.push(request.url());
    });
    await page.goto(`${url}/docs/`);
  });

  it('shows every endpoint, finds one and shows how to call it, without calling out or being stopped', async () => {
    await page.getByText('Strongroom').first().waitFor();
    await page
      .getByRole('button', { name: /search/i })
      .first()
      .click();
    await page.keyboard.type('detokenize');
    await page
      .getByRole('option', { name: /detokenize/i })
      .first()
      .waitFor();
    await chromium.photograph(page, 'reference-search');
    await page
      .getByRole('option', { name: /detokenize/i })
      .first()
      .click();
    await page.waitForURL(/#.*detokenize/i);
    await page
      .getByRole('heading', { name: /detokenize/i })
      .first()
      .waitFor();
    await page
      .getByText(/curl .*detokenize/s)
      .first()
      .waitFor();
    await chromium.photograph(page, 'reference');
    // A browser requests an icon on its own, and logs an error if there is none.
    expect(missing).toEqual([]);
    expect(complaints.filter((text) => !text.includes('404 (Not Found)'))).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
  });

  it('does not run what is put into it', async () => {
    await page.getByText('Strongroom').first().waitFor();
    const ran = await page.evaluate(injection);
    expect(ran).toEqual([]);
    await context.close();
  });

  it('cannot tell another site what it has read', async () => {
    await page.getByText('Strongroom').first().waitFor();
    const outcome = await page.evaluate(
      `fetch('http://127.0.0.1:9/', { mode: 'no-cors' }).then(() => 'sent', () => 'refused')`,
    );
    expect(outcome).toBe('refused');
    expect(complaints.some((text) => text.includes('connect-src'))).toBe(true);
    await context.close();
  });
});

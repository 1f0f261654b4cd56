import { randomBytes, randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { portalAppPaths } from '../../src/features/portal/frame/sign-in-destination.ts';
import { BrowserTraces } from '../harness/browser-traces.ts';
import { CanaryScanner } from '../harness/canary-scanner.ts';
import { makeCardNumber } from '../harness/card-number.ts';
import { type MemberAtBrowser, PortalBrowser, settled } from '../harness/portal-browser.ts';
import { createApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/** Ten pages of cards. The long form, `npm run test:portal`, walks through fifty. */
const cardCount = Number(process.env['PORTAL_CARDS'] ?? 200);
const batch = 100;
/** Metadata is not secret. Finding this value shows that the scan works. */
const planted = randomBytes(24).toString('hex');
const searched = randomBytes(24).toString('hex');
const numbers = Array.from({ length: cardCount }, () => makeCardNumber());
const scanner = new CanaryScanner(
  numbers.flatMap((number) => [
    { name: 'number', bytes: Buffer.from(number) },
    { name: 'spaced number', bytes: Buffer.from(number.replaceAll(/(\d{4})(?=\d)/g, '$1 ')) },
  ]),
);
/** A card's verification code is too short to search for on its own, so this matches a member with its name. */
const code = /\\?"cvc\\?"\s*:\s*\\?"?\d/;

let vault: TestVault;
let browser: PortalBrowser;
let tenant: TestTenant;
let owner: MemberAtBrowser;
let tokenId = '';
let applicationId = '';
beforeAll(async () => {
  vault = await TestVault.start();
  browser = await PortalBrowser.start(vault);
  tenant = await vault.makeTenant();
  for (let start = 0; start < cardCount; start += batch) await store(numbers.slice(start, start + batch));
  const answer = await vault.request('POST', '/tokens', {
    key: tenant.keys.private,
    body: { type: 'token', data: searched, metadata: { planted }, search_indexes: ['{{ data }}'] },
  });
  tokenId = (answer.body as { id: string }).id;
  // This key sees the token in plaintext. The log records that without containing the plaintext.
  await vault.request('GET', `/tokens/${tokenId}`, { key: tenant.keys.reveal });
  applicationId = (await createApplication(vault, tenant)).id;
  owner = await browser.signIn(tenant, 'OWNER');
});
afterAll(async () => {
  await browser.stop();
  await vault.stop();
});

async function store(some: readonly string[]): Promise<void> {
  const body = some.map((number) => ({
    type: 'card',
    data: { number, expiration_month: 12, expiration_year: 2040, cvc: String(randomInt(100, 1_000)) },
  }));
  const answer = await vault.request('POST', '/tokenize', { key: tenant.keys.private, body });
  if (answer.status !== 200) throw new Error(`No cards were stored: ${answer.text}`);
}

function findIn(traces: BrowserTraces): string[] {
  return traces.places.flatMap((place) => [
    ...new Set(scanner.scan(traces.textOf(place)).map((found) => `${found} in ${place}`)),
    ...(code.test(traces.textOf(place).toString('utf8')) ? [`code in ${place}`] : []),
  ]);
}

describe('a journey over every page of the portal', () => {
  it('meets no number and no code of any card', async () => {
    const { context, page, open } = owner;
    const traces = new BrowserTraces(context, page);
    const first = await firstCard();
    for (const path of [
      ...portalAppPaths.filter((path) => !path.includes('*')),
      `/portal/audit?entity_id=${tokenId}`,
      `/portal/applications/${applicationId}`,
      `/portal/simulator?token=${first}`,
      `/portal/simulator?application=${applicationId}&token=${tokenId}`,
      '/portal/account',
      '/portal/approvals',
      '/portal/exports',
      `/portal/tokens?query=${encodeURIComponent('type:card')}`,
      `/portal/tokens/${first}`,
      `/portal/tokens/${tokenId}`,
      '/portal/tokens',
    ]) {
      await open(path);
      await traces.collect();
    }
    const shown = await walkThroughTokens(traces);
    expect(shown).toBe(cardCount + 1);
    expect(findIn(traces)).toEqual([]);
    // Values that may be seen are found, which shows that the scan works.
    const metadata = new CanaryScanner([{ name: 'planted', bytes: Buffer.from(planted) }]);
    for (const place of ['document', 'responses']) {
      expect(metadata.scan(traces.textOf(place))).toContain('planted as it is');
    }
    expect(traces.places).toEqual(
      expect.arrayContaining(['document', 'history', 'local storage', 'requests', 'responses', 'session storage']),
    );
    expect(owner.complaints).toEqual([]);
  });

  it('would be noticed if it met one, wherever that were', async () => {
    const { context, page, open } = owner;
    const traces = new BrowserTraces(context, page);
    const [number = ''] = numbers;
    const revealed = { id: tokenId, type: 'card', containers: ['/'], created_at: new Date().toISOString() };
    await page.route('**/portal/api/tokens/*', (route) =>
      route.fulfill({ json: { ...revealed, tenant_id: tenant.id, data: { number, cvc: '123' } } }),
    );
    await open(`/portal/tokens/${tokenId}`);
    await page.evaluate(`
      console.log('${number}');
      localStorage.setItem('planted', '${number}');
      sessionStorage.setItem('planted', '${number}');
      history.pushState({ planted: '${number}' }, '', '?number=${number}');
      fetch(location.href).then((response) => response.text());
    `);
    await traces.collect();
    await page.unrouteAll();
    await page.evaluate(`localStorage.removeItem('planted'); sessionStorage.removeItem('planted');`);
    const found = findIn(traces);
    for (const place of traces.places) expect(found).toContain(`number as it is in ${place}`);
    expect(traces.places).toHaveLength(7);
    expect(found).toContain('code in responses');
    expect(found).toContain('code in document');
  });
});

describe('a search for a value of data', () => {
  it('finds the token, and is kept out of addresses, memory and the log of the server', async () => {
    const searcher = await browser.signIn(tenant, 'READ_ONLY');
    const { context, page } = searcher;
    const traces = new BrowserTraces(context, page);
    await searcher.open('/portal/tokens');
    await page.getByLabel('Search').fill(`data:"${searched}"`);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('These are all.').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.locator('tbody a').first().click();
    await page.getByRole('heading', { level: 1, name: 'Token', exact: true }).waitFor();
    await settled(page);
    await traces.collect();
    const value = new CanaryScanner([{ name: 'value', bytes: Buffer.from(searched) }]);
    for (const place of ['console', 'document', 'history', 'local storage', 'responses', 'session storage']) {
      expect(`${place}: ${value.scan(traces.textOf(place)).join()}`).toBe(`${place}: `);
    }
    // The value is in the body of the search, where it belongs. This shows that the scan would have found it elsewhere.
    expect(value.scan(traces.textOf('requests'))).toContain('value as it is');
    expect(value.scan(Buffer.from(vault.logLines.join('\n')))).toEqual([]);
  });
});

describe('a card number that somebody pastes', () => {
  it.each([
    ['/portal/tokens', 'Search', 'id:'],
    ['/portal/audit', 'Id', ''],
  ])('into the search at %s stays out of the address and memory', async (path, label, before) => {
    const { context, page, open } = await browser.signIn(tenant, 'READ_ONLY');
    const traces = new BrowserTraces(context, page);
    const [number = ''] = numbers;
    await open(path);
    await page.getByRole('searchbox', { name: label, exact: true }).fill(before + number);
    await page.keyboard.press('Enter');
    await page.getByText(/No token matches|This looks like a card number/).waitFor();
    await traces.collect();
    const value = new CanaryScanner([{ name: 'number', bytes: Buffer.from(number) }]);
    for (const place of ['console', 'history', 'local storage', 'responses', 'session storage']) {
      expect(`${place}: ${value.scan(traces.textOf(place)).join()}`).toBe(`${place}: `);
    }
    expect(page.url()).not.toContain(number);
    await context.close();
  });
});

describe('a value that somebody pastes into the search', () => {
  it.each(['', 'type:token AND ', 'Data:', 'data : '])(
    'is kept out of addresses and memory, though it is no search: %j',
    async (before) => {
      const searcher = await browser.signIn(tenant, 'READ_ONLY');
      const { context, page } = searcher;
      const traces = new BrowserTraces(context, page);
      await searcher.open('/portal/tokens');
      await page.getByLabel('Search').fill(before + searched);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('alert').waitFor();
      await traces.collect();
      expect(page.url()).not.toContain(searched);
      const value = new CanaryScanner([{ name: 'value', bytes: Buffer.from(searched) }]);
      for (const place of ['console', 'history', 'local storage', 'responses', 'session storage']) {
        expect(`${place}: ${value.scan(traces.textOf(place)).join()}`).toBe(`${place}: `);
      }
      await context.close();
    },
  );

  it('leaves searches that hold no data in the address', async () => {
    const { page, open, context } = await browser.signIn(tenant, 'READ_ONLY');
    await open('/portal/tokens');
    const query = 'NOT (type:card OR metadata.planted:"x y") AND created_at:[2026-01-01 TO *]';
    await page.getByLabel('Search').fill(query);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL((url) => url.searchParams.get('query') === query);
    await context.close();
  });
});

async function firstCard(): Promise<string> {
  const answer = await vault.request('GET', '/v2/tokens?type=card&size=1', { key: tenant.keys.private });
  return (answer.body as { data: { id: string }[] }).data[0]?.id ?? '';
}

/** Goes through all pages from the newest token to the oldest, and returns how many tokens were shown. */
async function walkThroughTokens(traces: BrowserTraces): Promise<number> {
  const { page } = owner;
  const rows = page.locator('tbody tr');
  const ids = new Set<string>();
  for (;;) {
    await settled(page);
    await traces.collect();
    for (const link of await rows.locator('a').evaluateAll((links) => links.map((one) => one.getAttribute('href')))) {
      ids.add(link ?? '');
    }
    const older = page.getByRole('link', { name: 'Older tokens' });
    if ((await older.count()) === 0) return ids.size;
    const next = await older.getAttribute('href');
    await older.click();
    await page.waitForURL(`${browser.url}${next ?? ''}`);
  }
}

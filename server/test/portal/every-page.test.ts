import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DevelopmentKeys } from '../../src/app/dev/development-vault.ts';
import { portalAppPaths } from '../../src/features/portal/frame/sign-in-destination.ts';
import { complaintsAbout, injectAxe } from '../harness/accessible.ts';
import { addToSeed } from '../harness/added-to-seed.ts';
import { Chromium } from '../harness/chromium.ts';
import { untilTrue } from '../harness/deadline.ts';
import { Program } from '../harness/program.ts';

/** The folder for documentation screenshots. None are taken unless it is set, as in `npm run screenshots`. */
const pictures = process.env['PORTAL_PICTURES'];

const looks = [
  ['light', 1280],
  ['dark', 320],
  ['light', 320],
  ['dark', 1280],
] as const;
/**
 * Returns the looks to test for a page. Pages alternate between the first two. With `npm run test:portal`, each page
 * is tested in all of them.
 */
const looksOf = (index: number) =>
  process.env['PORTAL_LOOKS'] === 'all' ? looks : looks.slice(index % 2, (index % 2) + 1);

interface Ready {
  readonly url: string;
  readonly echo_url: string;
  readonly sign_in_url: string;
  readonly keys: DevelopmentKeys;
  readonly seeded_keys: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
}
interface Listed {
  readonly pagination: { readonly total_items: number };
  readonly data: readonly Readonly<Record<string, unknown>>[];
}

/** The tests of the pages and of the examples share a vault, because `dev --seed` sends four thousand requests. */
let ready: Ready;
let chromium: Chromium;
/** The id of the newest card. */
let tokenId: string;
/** The path of each page, by the name of its picture. */
let pages: ReadonlyMap<string, string>;

beforeAll(async () => {
  [ready, chromium] = await Promise.all([
    Program.start(['dev', '--port', '0', '--json', '--seed']).ready<Ready>(),
    Chromium.start(),
  ]);
  const [application, token, record, member] = await Promise.all([
    first('/applications?size=50', (one) => one['name'] === 'Support desk'),
    first('/tokens?type=card&size=1', () => true),
    first('/logs?transform=reveal&size=1', () => true),
    first('/tenants/self/members', (one) => one['role'] === 'OWNER'),
  ]);
  const [key = { id: '' }] = application['keys'] as { id: string }[];
  const { id: memberId } = member['user'] as { id: string };
  tokenId = token.id;
  const webhookId = await addToSeed(ready, tokenId);
  pages = new Map([
    ...portalAppPaths.filter((one) => /^\/portal\/[a-z-]+$/.test(one)).map((one) => [path.basename(one), one] as const),
    ['overview', '/portal/'],
    ['audit', '/portal/audit?range=30d'],
    ['record', `/portal/audit?range=30d&transform=reveal&record=${record.id}&record_at=${record.created_at}`],
    ['token', `/portal/tokens/${token.id}`],
    ['application', `/portal/applications/${application.id}`],
    ['simulator', `/portal/simulator?application=${application.id}&token=${token.id}`],
    ['new-application', '/portal/applications/new'],
    ['edit-application', `/portal/applications/${application.id}?edit=true`],
    ['new-route', '/portal/routes/new'],
    ['webhook', `/portal/webhooks/${webhookId}`],
    ['key', `/portal/applications/${application.id}?tab=keys&key=${key.id}`],
    ['member', `/portal/members/${memberId}`],
    ['approvals', '/portal/approvals'],
    ['exports', '/portal/exports'],
    ['account', '/portal/account'],
    ['missing', '/portal/tokens/there-is-no-such-token'],
    ['kit', '/portal/kit'],
  ]);
  if (pictures !== undefined) await mkdir(pictures, { recursive: true });
});
afterAll(async () => {
  await chromium.stop();
  await Program.killAll();
});

type Item = Readonly<Record<string, unknown>> & { readonly id: string; readonly created_at: string };

async function first(target: string, fits: (item: Item) => boolean): Promise<Item> {
  const key = target.startsWith('/tokens') ? ready.keys.private : ready.keys.management;
  const response = await fetch(`${ready.url}${target}`, { headers: { 'bt-api-key': key } });
  const { data } = (await response.json()) as { data: Item[] };
  const found = data.find(fits);
  if (found === undefined) throw new Error(`There is nothing at ${target}.`);
  return found;
}

/** The stored state of the first context, with its cookie. The sign-in link works only once. */
let signedIn: Awaited<ReturnType<BrowserContext['storageState']>> | undefined;

async function open({ bypassCSP = false }: { readonly bypassCSP?: boolean } = {}) {
  const opened = await chromium.open({
    ...(signedIn === undefined ? {} : { storageState: signedIn }),
    bypassCSP,
    viewport: wide,
    locale: 'en-GB',
    timezoneId: 'UTC',
    // Colours that are still changing have the wrong contrast.
    reducedMotion: 'reduce',
  });
  if (signedIn === undefined) {
    await opened.page.goto(ready.sign_in_url);
    await opened.page.getByRole('button', { name: 'Sign in' }).click();
    await opened.page.waitForURL('**/portal/');
    signedIn = await opened.context.storageState();
  }
  return opened;
}

async function visit(page: Page, target: string): Promise<void> {
  await page.goto(`${ready.url}${target}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
}

async function get<T>(target: string, key: string): Promise<T> {
  const answer = await fetch(`${ready.url}${target}`, { headers: { 'bt-api-key': key } });
  return (await answer.json()) as T;
}
const logs = (query: string) => get<Listed>(`/logs?${query}`, ready.keys.management);
const dayMs = 24 * 60 * 60_000;
const timeOf = (record: Readonly<Record<string, unknown>> | undefined) => Date.parse(String(record?.['created_at']));

describe('strongroom dev --seed', () => {
  it('creates applications that each see as much as their rules say', async () => {
    const names = Object.keys(ready.seeded_keys);
    const { data: applications } = await get<Listed>('/applications?size=50', ready.keys.management);
    expect(names).toHaveLength(8);
    for (const name of names) expect(applications.map((one) => one['name'])).toContain(name);
    const oldest = Math.min(...applications.map(timeOf));
    expect(Date.now() - oldest).toBeGreaterThan(29.9 * dayMs);

    const [record] = (await logs('entity_type=card&operation=create&size=1')).data;
    const seenBy = (name: string) =>
      get<{ data?: { number: string } }>(`/tokens/${String(record?.['entity_id'])}`, ready.seeded_keys[name] ?? '');
    expect((await seenBy('Fraud review')).data?.number).toMatch(/^\d{15,16}$/);
    expect((await seenBy('Support desk')).data?.number).toMatch(/^X{11,12}\d{4}$/);
    expect((await seenBy('Analytics')).data).toBeUndefined();
    expect(await seenBy('CRM sync')).toMatchObject({ status: 403 });
  });

  it('stores 200 cards and people over the month', async () => {
    const { token_report: report } = await get<{
      token_report: { metrics_by_type: Record<string, { count: number; last_created_at: string }> };
    }>('/tenants/self/reports/usage', ready.keys.management);
    const { card, token, bank } = report.metrics_by_type;
    expect(card?.count).toBe(200);
    expect(token?.count).toBeGreaterThanOrEqual(194);
    expect(bank?.count).toBe(20);
    const { data: newest } = await get<Listed>('/tokens?type=card&size=100', ready.keys.private);
    const times = newest.map(timeOf);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(new Set(times.map((time) => Math.floor(time / dayMs))).size).toBeGreaterThan(10);
    expect(Date.parse(card?.last_created_at ?? '')).toBe(times[0]);
    // The tokens are found by their index entries, which are stored with their creation time.
    const [customer] = newest.map((one) => (one['metadata'] as { customer: string }).customer);
    const both = await get<Listed>(`/tokens?metadata.customer=${customer}`, ready.keys.private);
    expect(both.data.map((one) => String(one['type'])).toSorted()).toEqual(['card', 'token']);
  });

  it('has members, and somebody who is invited', async () => {
    const members = await get<Listed>('/tenants/self/members', ready.keys.management);
    expect(members.data.map((one) => String(one['role'])).toSorted()).toEqual(['ADMIN', 'ADMIN', 'OWNER', 'READ_ONLY']);
    const invitations = await get<Listed>('/tenants/self/invitations', ready.keys.management);
    expect(invitations.data).toHaveLength(1);
  });

  it('has a month of log, with refusals, misses and an alert', async () => {
    await untilTrue(async () => (await logs('outcome=missed&size=1')).pagination.total_items > 0, {
      waitingFor: 'the log to be sealed and counted',
    });
    const all = await logs('size=100');
    expect(all.pagination.total_items).toBeGreaterThan(3_000);
    const oldest = await logs(`end_date=${new Date(Date.now() - 29 * dayMs).toISOString()}&size=1`);
    expect(oldest.pagination.total_items).toBeGreaterThan(200);
    expect((await logs('outcome=missed&size=1')).pagination.total_items).toBeGreaterThanOrEqual(143);
    expect((await logs('outcome=denied&size=1')).pagination.total_items).toBeGreaterThan(20);
    expect((await logs('destination=api.acquirer.example&size=1')).pagination.total_items).toBeGreaterThan(100);
    const { data: alerts } = await logs('operation=alert');
    expect(alerts).toMatchObject([{ entity_type: 'key', actor_type: 'system', details: { rule: 'misses' } }]);
    expect(Date.now() - timeOf(alerts[0])).toBeGreaterThan(8 * dayMs);
    // The misused key has been revoked. Its replacement is printed.
    const keyId = String(alerts[0]?.['entity_id']);
    const { data: last } = await logs(`key_id=${keyId}&size=1`);
    expect(timeOf(last[0]) - timeOf(alerts[0])).toBeLessThan(dayMs);
  });

  it('leaves a log that verifies, and whose counters agree with its records', async () => {
    const { code, stdout } = await Program.run(['audit', 'verify', '--json'], ready.settings);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ findings: [] });
    const exported = await fetch(`${ready.url}/logs/export`, { headers: { 'bt-api-key': ready.keys.management } });
    const records = (await exported.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const [field, value] of [
      ['outcome', 'missed'],
      ['transform', 'reveal'],
      ['source_address', '203.0.113.77'],
    ] as const) {
      const { pagination } = await logs(`${field}=${value}&size=1`);
      expect([field, pagination.total_items]).toEqual([field, records.filter((one) => one[field] === value).length]);
    }
  });
});

describe('every page', () => {
  it('is accessible and fits, in light and dark, 320 and 1280 pixels wide', async () => {
    // Axe is injected into the page, which the portal's policy would block.
    const { page, context } = await open({ bypassCSP: true });
    const found: string[] = [];
    for (const [index, [name, target]] of [...pages].entries()) {
      await visit(page, target);
      await injectAxe(page);
      for (const [colorScheme, width] of looksOf(index)) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        found.push(...(await complaintsAbout(page, `${name}, ${colorScheme}, ${width}`)));
      }
      for (const width of [1280, 375]) {
        await page.setViewportSize({ width, height: 800 });
        const squeezed = await page.evaluate<string[]>(squeezedTexts);
        found.push(...squeezed.map((text) => `${name}, ${width}: no width for ${text}`));
      }
    }
    expect(found).toEqual([]);
    await context.close();
  });

  it('violates no policy, has no error in the console, and asks nobody but the vault', async () => {
    const { page, context, complaints } = await open();
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(`${ready.url}/portal/`)) foreign.push(request.url());
    });
    for (const [name, target] of pages) {
      complaints.length = 0;
      await visit(page, target);
      // A browser reports a 404 response in its console.
      const expected = name === 'missing' ? 1 : 0;
      expect({ name, complaints: complaints.slice(expected) }).toEqual({ name, complaints: [] });
      if (!withoutPicture.has(name)) await photograph(page, name);
    }
    expect(foreign).toEqual([]);
    await context.close();
  });

  it('comes after one to sign in, which is accessible, too', async () => {
    const { page, context } = await chromium.open({ bypassCSP: true, viewport: wide, reducedMotion: 'reduce' });
    await visit(page, '/portal/sign-in');
    await injectAxe(page);
    expect(await complaintsAbout(page, 'sign-in')).toEqual([]);
    await photograph(page, 'sign-in');
    await context.close();
  });
});

/** Finds texts in tables that are higher than three lines, because another column took the width that they need. */
const squeezedTexts = `[...document.querySelectorAll('td, td *')].flatMap((element) => {
  const range = document.createRange();
  return [...element.childNodes].flatMap((node) => {
    if (node.nodeType !== Node.TEXT_NODE) return [];
    range.selectNode(node);
    return range.getBoundingClientRect().height > 64 ? [node.data] : [];
  });
})`;

/** The kit has pictures of its own. */
const withoutPicture = new Set(['missing', 'kit']);
const wide = { width: 1400, height: 800 };
/** The size of a phone. */
const narrow = { width: 375, height: 812 };

async function photograph(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  const file = path.join(pictures, name);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await writeFile(`${file}-${colorScheme}.webp`, await shrink(page.context(), await page.screenshot()));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(narrow);
  await writeFile(`${file}-narrow.webp`, await shrink(page.context(), await page.screenshot()));
  await page.setViewportSize(wide);
}

/** Converts a picture to WebP in the browser, which reduces it to a third of its size. */
async function shrink(context: BrowserContext, png: Buffer): Promise<Buffer> {
  const page = await context.newPage();
  const image = `data:image/png;base64,${png.toString('base64')}`;
  const shrunk =
    await page.evaluate<string>(`fetch(${JSON.stringify(image)}).then((loaded) => loaded.blob()).then(createImageBitmap).then((bitmap) => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
    canvas.getContext('2d').drawImage(bitmap, 0, 0);
    return canvas.toDataURL('image/webp', 0.85);
  })`);
  await page.close();
  return Buffer.from(shrunk.slice(shrunk.indexOf(',') + 1), 'base64');
}

describe('somebody without a mouse', () => {
  it('goes from page to page, filters, opens a record and closes it', async () => {
    const { page, context } = await open();
    await visit(page, '/portal/');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.waitForURL('**/portal/audit');
    await page.getByRole('group', { name: 'Audit records' }).waitFor();
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.name')).toBe('id');
    await page.keyboard.type(tokenId);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/portal/audit?entity_id=${tokenId}`);
    await page.waitForLoadState('networkidle');
    const link = page.getByRole('group', { name: 'Audit records' }).getByRole('link').first();
    await link.waitFor();
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('body').press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await context.close();
  });
});

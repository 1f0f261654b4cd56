import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BrowserContext, FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DevelopmentKeys } from '../../src/app/dev/development-vault.ts';
import { builtElements } from '../../src/features/elements/elements-files.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { DemoShop, findClientScript } from '../../src/platform/loopback/demo-shop.ts';
import { EchoDestination } from '../../src/platform/loopback/echo-destination.ts';
import { readShopFiles } from '../../src/platform/loopback/shop-files.ts';
import { Chromium } from '../harness/chromium.ts';
import { Program } from '../harness/program.ts';
import { ProxyVault } from '../harness/proxy-vault.ts';
import { RecordingRelay } from '../harness/recording-relay.ts';
import { createApplication } from '../harness/test-application.ts';

/** No part of this number occurs anywhere else by chance. */
const number = '4539578763621486';
const code = '739';

let chromium: Chromium;
beforeAll(async () => {
  chromium = await Chromium.start();
});
afterAll(() => chromium.stop());

const fieldIn = (page: Page, id: string): FrameLocator => page.frameLocator(`#${id} iframe`);

async function typeCard(page: Page, digits: string): Promise<void> {
  await page.locator('#pay button:enabled').waitFor();
  await fieldIn(page, 'number').getByRole('textbox').pressSequentially(digits);
  await fieldIn(page, 'date').getByRole('textbox').pressSequentially('1231');
  await fieldIn(page, 'code').getByRole('textbox').pressSequentially(code);
}

async function payWith(page: Page, digits: string): Promise<string | null> {
  await typeCard(page, digits);
  await page.getByRole('button', { name: 'Pay €24.00' }).click();
  await page.locator('#paid:not(:empty)').waitFor();
  return page.locator('#paid').textContent();
}

/** Fails if a text contains more of the card than its first eight and last four digits. */
function expectNoCard(text: string): void {
  const plain = text.replaceAll(/[ -]/g, '');
  for (let at = 0; at + 9 <= number.length; at += 1) {
    expect(text).not.toContain(number.slice(at, at + 9));
    expect(plain).not.toContain(number.slice(at, at + 9));
  }
  expect(text).not.toMatch(new RegExp(`\\b${code}\\b`));
}

/**
 * Collects everything that the page itself can observe: its document, its console, its requests and every
 * message that it receives.
 */
async function watch(context: BrowserContext, page: Page): Promise<() => Promise<string>> {
  await context.addInitScript(
    `globalThis.heard = []; addEventListener('message', ({ data }) => heard.push(JSON.stringify(data)), true);`,
  );
  const seen: Promise<string>[] = [];
  page.on('console', (message) => seen.push(Promise.resolve(message.text())));
  page.on('request', (request) => {
    if (request.frame() !== page.mainFrame()) return;
    const sent = `${request.url()} ${request.postData() ?? ''}`;
    seen.push(
      request.response().then(
        async (response) => `${sent} ${(await response?.text().catch(() => '')) ?? ''}`,
        () => sent,
      ),
    );
  });
  return async () => {
    const document = await page.evaluate<string>(
      `document.documentElement.outerHTML + [...document.querySelectorAll('iframe')].map((frame) => frame.src).join() + heard.join()`,
    );
    return [document, ...(await Promise.all(seen))].join('\n');
  };
}

describe('the shop', () => {
  let echo: EchoDestination;
  let proxy: ProxyVault;
  let relay: RecordingRelay;
  let shop: DemoShop;
  beforeAll(async () => {
    echo = await EchoDestination.start();
    const elementsPort = await findFreePort();
    const elements = {
      config: { url: `http://127.0.0.1:${elementsPort}`, port: elementsPort },
      folder: builtElements,
    };
    const { destination: ownDestination } = echo;
    proxy = await ProxyVault.start({ ownDestination, privateRanges: [], hosts: [], ports: [], elements });
    const { vault, tenant } = proxy;
    relay = await RecordingRelay.start(vault.server.url);
    const port = await findFreePort();
    const wanted = { type: 'public', permissions: [], allowed_origins: [`http://localhost:${port}`] };
    const { key } = await createApplication(vault, tenant, wanted);
    const files = readShopFiles();
    const elementsUrl = vault.server.elementsUrl ?? '';
    const client = await findClientScript(elementsUrl);
    if (files === undefined || client === undefined) throw new Error('The shop was not built.');
    shop = await DemoShop.start({
      port,
      files,
      client,
      vaultUrl: relay.url,
      elementsUrl,
      providerUrl: echo.url,
      keys: { ...tenant.keys, public: key },
    });
  });
  afterAll(async () => {
    await shop.stop();
    relay.stop();
    await Promise.all([proxy.stop(), echo.stop()]);
  });

  it('charges a card and shows it to its owner, and neither its page nor its server ever has it', async () => {
    const { context, page, complaints } = await chromium.open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const listSeen = await watch(context, page);
    await page.goto(shop.url);
    await chromium.photograph(page, 'shop-empty');
    expect(await payWith(page, number)).toBe('Paid with Visa •••• 1486');
    expect(await page.locator('#seen-page').textContent()).toContain('"number":"XXXXXXXXXXXX1486"');
    // The destination masks the number that it received. It can only know both ends if it received the whole number.
    expect(await page.locator('#seen-provider').textContent()).toContain('"number":"453957XXXXXX1486"');
    await chromium.photograph(page, 'shop-paid');

    await page.getByRole('button', { name: 'Show my card' }).click();
    const shown = fieldIn(page, 'shown-number');
    await expect.poll(() => shown.getByRole('textbox').inputValue()).toBe('4539 5787 6362 1486');
    await expect.poll(() => fieldIn(page, 'shown-date').getByRole('textbox').inputValue()).toMatch(/^12 ?\/ ?31$/);
    expect(await shown.getByRole('textbox').isEditable()).toBe(false);
    await page.getByText('Shown for you only.').waitFor();
    await chromium.photograph(page, 'shop-shown');
    await page.setViewportSize({ width: 320, height: 1_800 });
    await chromium.photograph(page, 'shop-shown-320');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);

    expectNoCard(await listSeen());
    expectNoCard(relay.responses.join('\n'));
    expect(relay.responses.length).toBeGreaterThan(3);
    expect(complaints).toEqual([]);

    const copy = fieldIn(page, 'copy');
    await copy.getByRole('button', { name: 'Copy number' }).click();
    await copy.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(number);
    await context.close();
  });

  it('leaves records of who stored, used and saw the card', async () => {
    const records = await proxy.vault.auditRecords(proxy.tenant.id);
    const ofCards = records.filter(({ entity_type }) => entity_type === 'card' || entity_type === 'proxy');
    const summary = ofCards.map(({ actor_type, entity_type, operation, transform, outcome }) =>
      [actor_type, entity_type, operation, transform, outcome].join(' '),
    );
    // The records of one proxy call may be written in any order.
    expect(summary.toSorted()).toEqual([
      'application card read mask success',
      'application card read reveal success',
      'application proxy invoke  intent',
      'application proxy invoke reveal success',
      'session card create mask success',
      'session card read reveal success',
    ]);
    expectNoCard(JSON.stringify(records));
    expectNoCard(proxy.vault.logLines.join('\n'));
  });

  it('has the colours of the page in its fields, also after somebody changes between light and dark', async () => {
    const { context, page } = await chromium.open({ colorScheme: 'light' });
    await page.goto(shop.url);
    await page.locator('#pay button:enabled').waitFor();
    const input = fieldIn(page, 'number').getByRole('textbox');
    const colorOf = (role: string) => page.evaluate(`getComputedStyle(document.querySelector('#color-${role}')).color`);
    const frame = await (await page.waitForSelector('#number iframe')).contentFrame();
    const colorIn = () => frame?.evaluate(`getComputedStyle(document.querySelector('input')).color`);
    const light = await colorOf('text');
    expect(await colorIn()).toBe(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await colorOf('text')).not.toBe(light);
    await expect.poll(colorIn).toBe(await colorOf('text'));
    await input.fill('4242424242424241');
    await page.getByRole('button', { name: 'Pay €24.00' }).click();
    await input.blur();
    await expect.poll(colorIn).toBe(await colorOf('bad'));
    await chromium.photograph(page, 'shop-dark');
    await context.close();
  });

  it('points at the fields with a problem and sends nothing', async () => {
    const { context, page, complaints } = await chromium.open();
    await page.goto(shop.url);
    await typeCard(page, '4539578763621487');
    const before = relay.responses.length;
    await page.getByRole('button', { name: 'Pay €24.00' }).click();
    await page.getByText('Check the digits of the card number.').waitFor();
    await page.waitForFunction(`document.activeElement?.closest('#number') !== null`);
    expect([relay.responses.length, complaints]).toEqual([before, []]);
    await chromium.photograph(page, 'shop-problem');
    await context.close();
  });

  it.each<[string, string, Record<string, string>, number]>([
    ['another site', '/orders', { origin: 'http://localhost:1' }, 404],
    ['nobody in particular', '/orders', {}, 404],
  ])('takes no orders from %s', async (_name, target, headers, status) => {
    const response = await fetch(`${shop.url}${target}`, { method: 'POST', headers, body: '{}' });
    expect(response.status).toBe(status);
  });

  it.each([`x' }}`, '{{ data }}', '../applications', '00000000-0000-4000-8000-000000000000'])(
    'takes no order for %s and shows nothing for it',
    async (token_id) => {
      for (const target of ['/orders', '/sessions/show']) {
        const headers = { origin: shop.url };
        const body = JSON.stringify({ token_id, nonce: 'x' });
        expect((await fetch(`${shop.url}${target}`, { method: 'POST', headers, body })).status).toBe(422);
      }
    },
  );

  it('is not there in a checkout that has not been built', () => {
    expect(readShopFiles('/nowhere')).toBeUndefined();
  });

  it('serves its page under a strict policy, to its own name only', async () => {
    const { headers } = await fetch(shop.url);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain(`script-src 'self' ${proxy.vault.server.elementsUrl};`);
    expect(policy).not.toContain('unsafe');
    expect((await fetch(shop.url.replace('localhost', '127.0.0.1'))).status).toBe(421);
  });
});

interface Ready {
  readonly url: string;
  readonly shop_url: string;
  readonly keys: DevelopmentKeys;
}

describe('strongroom dev', () => {
  let data: string;
  beforeAll(async () => {
    data = await mkdtemp(path.join(tmpdir(), 'strongroom-dev-shop-'));
    // If this test runs as root, PostgreSQL runs as another user.
    await chmod(data, 0o755);
  });
  afterAll(async () => {
    await Program.killAll();
    await rm(data, { recursive: true });
  });

  const listShops = async ({ url, keys }: Ready) => {
    const response = await fetch(`${url}/applications`, { headers: { 'bt-api-key': keys.management } });
    const { data: all } = (await response.json()) as {
      data: { id: string; name: string; allowed_origins: string[] }[];
    };
    return all.filter(({ name }) => name === 'Shop');
  };

  it('opens it, also at another address in the next run, and keeps the origins that somebody has added', async () => {
    const first = Program.start(['dev', '--port', '0', '--json', '--data', path.join(data, 'vault')]);
    const before = await first.ready<Ready>();
    const { page, context } = await chromium.open();
    await page.goto(before.shop_url);
    expect(await payWith(page, '4242424242424242')).toBe('Paid with Visa •••• 4242');
    await context.close();
    const [application] = await listShops(before);
    expect(application?.allowed_origins).toEqual([before.shop_url]);
    const allowed_origins = [before.shop_url, 'http://localhost:3000'];
    await fetch(`${before.url}/applications/${application?.id}`, {
      method: 'PUT',
      headers: { 'bt-api-key': before.keys.management, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Shop', permissions: [], allowed_origins }),
    });
    await first.stop();

    const second = Program.start(['dev', '--port', '0', '--quiet', '--data', path.join(data, 'vault')]);
    const printed = await second.output('Stop with Ctrl-C.');
    const shopUrl = /Shop +(\S+) \(card fields, try 4242 4242 4242 4242\)/.exec(printed)?.[1] ?? '';
    const url = /Open +(\S+)/.exec(printed)?.[1] ?? '';
    expect(shopUrl).not.toBe(before.shop_url);
    const shops = await listShops({ ...before, url });
    expect(shops.map((shop) => shop.allowed_origins)).toEqual([['http://localhost:3000', shopUrl]]);
    const again = await chromium.open();
    await again.page.goto(shopUrl);
    expect(await payWith(again.page, '5555555555554444')).toBe('Paid with Mastercard •••• 4444');
    await again.context.close();
  });
});

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DevelopmentKeys } from '../../src/app/dev/development-vault.ts';
import { BrowserTraces } from '../harness/browser-traces.ts';
import { CanaryScanner } from '../harness/canary-scanner.ts';
import { Chromium } from '../harness/chromium.ts';
import { makeCardNumber } from '../harness/card-number.ts';
import { Program } from '../harness/program.ts';

let ready: {
  readonly url: string;
  readonly sign_in_url: string;
  readonly keys: DevelopmentKeys;
  readonly settings: Readonly<Record<string, string>>;
};
let chromium: Chromium;
let page: Page;
let complaints: readonly string[];
let applicationId: string;
let publicKey: string;

beforeAll(async () => {
  [ready, chromium] = await Promise.all([
    Program.start(['dev', '--port', '0', '--json']).ready<typeof ready>(),
    Chromium.start(),
  ]);
  ({ page, complaints } = await chromium.open({ viewport: { width: 1400, height: 900 } }));
  await page.goto(ready.sign_in_url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/portal/');
});
afterAll(async () => {
  await chromium.stop();
  await Program.killAll();
});

const fieldOf = (name: string) => page.frameLocator(`#card-${name} iframe`).locator('input:not([tabindex="-1"])');

describe('storing a card in the portal', () => {
  it('creates an application for it with the address of the portal, whose key works at once', async () => {
    await page.goto(`${ready.url}/portal/new-token`);
    await page.getByRole('link', { name: 'Create one that does' }).click();
    expect(await page.getByLabel('Origins, one per line').inputValue()).toBe(new URL(ready.url).origin);
    await page.getByRole('button', { name: 'Create the application' }).click();
    const secret = page.getByText(/^key_/).first();
    await secret.waitFor();
    publicKey = (await secret.textContent()) ?? '';
    await page.getByRole('link', { name: 'Open the application' }).click();
    await page.getByRole('button', { name: 'Leave, I have copied it' }).click();
    await page.waitForURL(/\/applications\/[0-9a-f-]{36}$/);
    applicationId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  });

  it('stores what is typed into the fields, and the page never holds it', async () => {
    const number = makeCardNumber();
    const traces = new BrowserTraces(page.context(), page);
    await page.goto(`${ready.url}/portal/new-token`);
    await page.getByLabel('Key of a public application').fill(publicKey);
    await page.getByRole('button', { name: 'Show the card fields' }).click();
    await fieldOf('number').fill(number);
    await fieldOf('date').fill('12/40');
    await fieldOf('code').fill('123');
    await traces.collect();
    await chromium.photograph(page, 'new-token');
    await page.getByRole('button', { name: 'Store the card' }).click();
    await page.waitForURL(/\/portal\/tokens\/[^/]+$/);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await traces.collect();
    const value = new CanaryScanner([
      { name: 'number', bytes: Buffer.from(number) },
      { name: 'spaced number', bytes: Buffer.from(number.replaceAll(/(\d{4})(?=\d)/g, '$1 ')) },
    ]);
    for (const place of ['console', 'document', 'history', 'local storage', 'responses', 'session storage']) {
      expect(`${place}: ${value.scan(traces.textOf(place)).join()}`).toBe(`${place}: `);
    }
    // The frame sends it to the vault, which shows that the scan would have found it elsewhere.
    expect(value.scan(traces.textOf('requests')).length).toBeGreaterThan(0);
    const tokenId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const answer = await fetch(`${ready.url}/tokens/${tokenId}`, { headers: { 'bt-api-key': ready.keys.reveal } });
    expect(await answer.json()).toMatchObject({ type: 'card', data: { number }, created_by: applicationId });
    expect(complaints).toEqual([]);
  });

  it('refuses the key of another tenant, which would get the card', async () => {
    const { stdout } = await Program.run(['bootstrap', '--name', 'Another', '--json'], ready.settings);
    const { keys } = JSON.parse(stdout) as { keys: { management: string } };
    const response = await fetch(`${ready.url}/applications`, {
      method: 'POST',
      headers: { 'bt-api-key': keys.management, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Shop',
        type: 'public',
        permissions: ['token:create'],
        allowed_origins: [new URL(ready.url).origin],
      }),
    });
    const { key: foreign } = (await response.json()) as { key: string };
    await page.goto(`${ready.url}/portal/new-token`);
    await page.getByLabel('Key of a public application').fill(foreign);
    await page.getByRole('button', { name: 'Show the card fields' }).click();
    await page.getByText('This key belongs to another tenant').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('is on the only page that may show frames', async () => {
    const policies = await Promise.all(
      ['/portal/new-token', '/portal/tokens'].map(
        async (path) => (await page.context().request.get(`${ready.url}${path}`)).headers()['content-security-policy'],
      ),
    );
    expect(policies[0]).toMatch(/; frame-src http:\/\/[^ ;*]+$/);
    expect(policies[1]).not.toContain('frame-src');
  });
});

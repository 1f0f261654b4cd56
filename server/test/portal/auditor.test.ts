import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MemberAtBrowser, PortalBrowser } from '../harness/portal-browser.ts';
import { Program } from '../harness/program.ts';
import { sealAll, signerOf } from '../harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
let browser: PortalBrowser;
let auditor: MemberAtBrowser;
let folder: string;
let cardId: string;

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  [browser, folder] = await Promise.all([
    PortalBrowser.start(vault),
    mkdtemp(path.join(tmpdir(), 'strongroom-auditor-')),
  ]);
  const card = { type: 'card', data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2031 } };
  const created = await vault.request('POST', '/tokens', { key: tenant.keys.private, body: card });
  cardId = (created.body as { id: string }).id;
  await vault.request('GET', `/tokens/${cardId}`, { key: tenant.keys.private });
  await vault.request('GET', `/tokens/${cardId}`, { key: tenant.keys.reveal });
  await sealAll(vault.database, signerOf(vault.server));
  auditor = await browser.signIn(tenant, 'READ_ONLY', { acceptDownloads: true });
});
afterAll(async () => {
  await browser.stop();
  await vault.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('an auditor who may only look', () => {
  it('finds who read a token in plaintext, verifies the proof, and takes it along for an offline check', async () => {
    const { page, open, complaints } = auditor;
    // The key that verifies records may arrive late. No record is checked without it.
    const { promise: keyMayCome, resolve: letKeyCome } = Promise.withResolvers<undefined>();
    await page.route('**/portal/api/logs/seal', async (route) => {
      await keyMayCome;
      await route.continue();
    });
    await open('/portal/audit');
    await page.getByRole('searchbox', { name: 'Id' }).fill(cardId);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/portal/audit?entity_id=${cardId}`);
    await page
      .getByRole('complementary', { name: 'Filter by' })
      .getByRole('button', { name: /^Plaintext/ })
      .click();
    const rows = page.getByRole('group', { name: 'Audit records' }).getByRole('link');
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.first().textContent()).toContain('reveal read a card');

    await rows.first().click();
    const proof = page.waitForResponse(/\/logs\/[^/]+\/proof/);
    await page.getByRole('button', { name: 'Verify in this browser' }).click();
    await proof;
    letKeyCome(undefined);
    await page.getByText('Proven', { exact: true }).waitFor();
    await page.unroute('**/portal/api/logs/seal');
    expect(await page.getByRole('dialog').textContent()).toContain(
      'The hashes lead from this record to the signed root.',
    );

    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the proof' }).click();
    const file = path.join(folder, 'proof.json');
    await (await waiting).saveAs(file);
    const key = signerOf(vault.server).publicKey.toString('base64');
    const check = (target: string) => Program.run(['audit', 'check', target, '--public-key', key]);
    expect(await check(file)).toMatchObject({ code: 0, stdout: expect.stringContaining('is in the sealed log') });
    const text = await readFile(file, 'utf8');
    expect((JSON.parse(text) as { record: unknown }).record).toMatchObject({ entity_id: cardId, transform: 'reveal' });
    await writeFile(file, text.replace('"reveal"', '"redact"'));
    expect(await check(file)).toMatchObject({ code: 1 });
    expect(complaints).toEqual([]);
  });

  it('has an address for every view, which somebody else sees the same way', async () => {
    const { page, open } = auditor;
    await open(`/portal/audit?entity_id=${cardId}&transform=mask`);
    // Names are loaded separately from the records.
    const records = page.getByRole('group', { name: 'Audit records' });
    await records.getByText('private', { exact: true }).first().waitFor();
    const seen = await records.textContent();
    await records.getByRole('link').first().click();
    await page.getByRole('dialog').waitFor();
    const address = page.url();
    const other = await browser.signIn(tenant, 'READ_ONLY');
    await other.page.goto(address);
    await other.page.getByRole('dialog').waitFor();
    const same = other.page.getByRole('group', { name: 'Audit records', includeHidden: true });
    await expect.poll(() => same.textContent()).toBe(seen);
    await other.page.keyboard.press('Escape');
    await other.page.waitForURL((url) => !url.searchParams.has('record'));
    await other.context.close();
  });

  it('follows a link from another site without signing in again', async () => {
    const { context } = auditor;
    const page = await context.newPage();
    const target = `${browser.url}/portal/audit?outcome=denied`;
    await page.route('http://elsewhere.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<a href="${target}">Look</a>` }),
    );
    await page.goto('http://elsewhere.example/');
    await page.getByRole('link', { name: 'Look' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    expect(page.url()).toBe(target);
    await page.close();
  });

  it.each(['record=x&record_at=y', 'from=x', 'from=2026-01-01&to=y', 'from=x&to=2026-01-01'])(
    'sees the log behind a damaged address: %s',
    async (query) => {
      const { page, open } = auditor;
      await open(`/portal/audit?${query}`);
      await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    },
  );

  it('exports exactly the slice that is shown', async () => {
    const { page, open } = auditor;
    await open(`/portal/audit?entity_id=${cardId}`);
    const records = page.getByRole('group', { name: 'Audit records' });
    await records.waitFor();
    const shown = await records.locator('a').count();
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export this slice' }).click();
    await page.getByRole('button', { name: 'As NDJSON' }).click();
    const file = path.join(folder, 'slice.ndjson');
    await (await waiting).saveAs(file);
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(shown + 1);
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ end: true, records: shown });
  });

  it('drags over the chart to look at a part of the time', async () => {
    const { page, open } = auditor;
    await open('/portal/audit');
    const chart = page.getByRole('img', { name: /^Records each/ });
    const box = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(box.x + box.width * 0.5, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 2, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL((url) => url.searchParams.has('from') && url.searchParams.has('to'));
  });
});

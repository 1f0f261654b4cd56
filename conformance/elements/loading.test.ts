import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ApiCaller } from '../harness/api-caller.ts';
import { ElementsDomain } from '../harness/elements-domain.ts';
import { browserPackage, reactElements, webElements } from '../harness/published-package.ts';
import { Shop } from '../harness/shop.ts';
import type { ShopPage } from '../harness/shop-page.ts';
import { testCard } from '../harness/value-forms.ts';

const vault = inject('vault');
const limitedVault = inject('limitedVault');
const domain = new URL(limitedVault.elementsUrl).hostname;
const backend = new ApiCaller(vault, vault.keys.reveal);

/** Types a card into an element and stores it, then reads it back with another key. */
async function storeCard(page: ShopPage): Promise<string> {
  const card = await page.place('card');
  for (const [at, text] of [testCard.number, '1250', '123'].entries()) await card.type(text, at);
  return page.run<string>(`return (await bt.tokens.create({ type: 'card', data: ${card.id} })).id`);
}

describe('a page that has loaded the script of the vault', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await Shop.start(vault, [...webElements, browserPackage]);
  });
  afterAll(() => shop.stop());

  describe.each(webElements)('$name', (published) => {
    describe('basistheory', () => {
      it('uses the script that is there, and asks no other host', async () => {
        const page = await shop.visit(published, { scriptFrom: vault.elementsUrl });
        await page.open();
        const id = await storeCard(page);
        expect((await backend.read(id)).data).toEqual(testCard);
        await page.errorOf(`await bt.tokens.retrieve('${id}')`);
        expect([...page.hosts]).toEqual(['localhost']);
        // The browser itself logs a message for error responses.
        expect(page.complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
      });

      it('throws for a key that is not public, in one sentence', async () => {
        const page = await shop.visit(published, { scriptFrom: vault.elementsUrl });
        const error = await page.errorOf(`await openShop('${vault.keys.private}', { disableTelemetry: true })`);
        expect(error.message).toBe('Elements need the key of a public application (key_…_pub_…).');
      });

      it('tells nobody that a script did not load, with disableTelemetry', async () => {
        const page = await shop.visit(published);
        await page.errorOf(`await openShop('${shop.key}', { disableTelemetry: true })`);
        expect([...page.hosts]).toEqual(['localhost', 'js.basistheory.com']);
      });
    });
  });

  describe(browserPackage.name, () => {
    const options = {
      apiBaseUrl: vault.url,
      elementsBaseUrl: vault.elementsUrl,
      elementsClientUrl: `${vault.elementsUrl}/elements/client.js`,
      disableTelemetry: true,
    };

    describe('createElement', () => {
      it.each([
        { loads: 'by the client', opening: {} },
        { loads: 'before it', opening: { scriptFrom: vault.elementsUrl } },
      ])('stores a card with the script loaded $loads', async ({ opening }) => {
        const page = await shop.visit(browserPackage, opening);
        await page.open(options);
        const id = await storeCard(page);
        expect((await backend.read(id)).data).toEqual(testCard);
        expect([...page.hosts]).toEqual(['localhost']);
      });
    });

    describe('elements', () => {
      it('serves tokens and tokenize where a payload has elements', async () => {
        const page = await shop.visit(browserPackage);
        await page.open(options);
        const text = await page.place('text', `{ value: 'Jane' }`);
        const id = await page.run<string>(`return (await bt.tokenize({ name: ${text.id} })).name`);
        expect((await backend.read(id)).data).toBe('Jane');
        await page.run(`await bt.tokens.update('${id}', { data: [${text.id}, 'plain'] })`);
        expect((await backend.read(id)).data).toEqual(['Jane', 'plain']);
        expect(await page.errorOf(`await bt.tokens.retrieve('${id}')`)).toMatchObject({ status: 403 });
        const plain = await page.run<string>(`return (await bt.tokens.create({ type: 'token', data: 'plain' })).id`);
        expect((await backend.read(plain)).data).toBe('plain');
      });
    });
  });
});

describe('a page that names a domain of its own', () => {
  const packages = [...webElements.slice(0, 1), ...reactElements.slice(0, 1)];
  let fieldsDomain: ElementsDomain;
  let shop: Shop;
  beforeAll(async () => {
    fieldsDomain = await ElementsDomain.start(limitedVault);
    shop = await Shop.start(limitedVault, packages, fieldsDomain.flags);
  });
  afterAll(async () => {
    await shop.stop();
    await fieldsDomain.stop();
  });

  describe(webElements[0]?.name ?? '', () => {
    describe('basistheory', () => {
      it('loads everything from customDomain', async () => {
        const page = await shop.visit(packages[0] ?? browserPackage);
        await page.open({ customDomain: domain, disableTelemetry: true });
        const id = await storeCard(page);
        const reader = new ApiCaller(limitedVault, limitedVault.keys.reveal);
        expect((await reader.read(id)).data).toEqual(testCard);
        expect([...page.hosts]).toEqual(['localhost', domain]);
        expect(page.complaints).toEqual([]);
      });
    });
  });

  describe(reactElements[0]?.name ?? '', () => {
    describe('useBasisTheory', () => {
      it('loads everything from customDomain', async () => {
        const page = await shop.visit(packages[1] ?? browserPackage);
        await page.open({ customDomain: domain, disableTelemetry: true });
        await page.run(`show((h) => h(published.CardNumberElement, { id: 'number' }))`);
        await page.page.waitForSelector('#number iframe');
        expect([...page.hosts]).toEqual(['localhost', domain]);
        expect(page.complaints).toEqual([]);
      });
    });
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ElementsShop } from '../harness/elements-shop.ts';
import { fillInCard } from '../harness/fill-in-card.ts';

const card = { number: '4242424242424242', name: 'Zoë Berg', expiryMonth: '12', expiryYear: '2031', cvc: '987' };

let shop: ElementsShop;
beforeAll(async () => {
  // The headless shell does not fill in saved data, but the full browser does.
  shop = await ElementsShop.start({}, 'chromium');
});
afterAll(() => shop.stop());

/** Inputs of the page, as a hostile script would add them: unseen, and named like those of a card. */
const lurk = `(() => {
  for (const hide of ['opacity: 0', 'position: absolute; left: -999px', 'width: 1px; height: 1px', 'clip-path: inset(50%)'])
    for (const name of ['cc-number', 'cc-csc', 'cc-exp', 'cc-name']) {
      const input = document.createElement('input');
      input.autocomplete = input.name = name;
      input.style.cssText = hide;
      document.querySelector('main').append(input);
    }
})()`;
const stolen = `[...document.querySelectorAll('main input[autocomplete]')].map(({ name, value }) => [name, value])`;

describe('a browser that fills in a saved card', () => {
  it.each(['number', 'card'])('at the %s gives nothing of number and code to unseen inputs of the page', async (id) => {
    const { context, page, frameOf } = await shop.open();
    await page.evaluate(lurk);
    await page.evaluate(`(async () => {
      const bt = await strongroom(${JSON.stringify(shop.key)});
      const types = { number: 'cardNumber', date: 'cardExpirationDate', code: 'cardVerificationCode', card: 'card' };
      globalThis.elements = {};
      await Promise.all(Object.entries(types).map(([id, type]) => {
        elements[id] = bt.createElement(type, { targetId: id });
        return elements[id].mount('#' + id);
      }));
    })()`);
    await fillInCard(context, await frameOf(id), card);
    await page.waitForFunction(`elements.${id}.metadata.complete`);
    const seen = await page.evaluate<[string, string][]>(stolen);
    expect(seen).toHaveLength(16);
    const values = seen.filter(([name]) => name === 'cc-number' || name === 'cc-csc').map(([, value]) => value);
    expect(values.join('')).toBe('');
    expect(await page.content()).not.toContain(card.number);
    await context.close();
  });
});

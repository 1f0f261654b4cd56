import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ElementsShop } from '../harness/elements-shop.ts';

let shop: ElementsShop;
beforeAll(async () => {
  shop = await ElementsShop.start();
});
afterAll(() => shop.stop());

/** Takes functions away that Chrome 111, Firefox 119 or Safari 16.4 do not have, from the page and from its frames. */
const takeNewerAway = `
  for (const [owner, ...names] of [
    [Promise, 'withResolvers', 'try'],
    [Object, 'groupBy'],
    [Map, 'groupBy'],
    [Map.prototype, 'getOrInsert', 'getOrInsertComputed'],
    [Array, 'fromAsync'],
    [Set.prototype, 'union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom'],
    [URL, 'canParse', 'parse'],
    [AbortSignal, 'any'],
    [RegExp, 'escape'],
    [Error, 'isError'],
    [Uint8Array, 'fromHex', 'fromBase64'],
    [Uint8Array.prototype, 'toHex', 'toBase64'],
    [Object.getPrototypeOf(Object.getPrototypeOf([].values())), 'map', 'filter', 'take', 'drop', 'flatMap', 'reduce', 'toArray', 'forEach', 'some', 'every', 'find'],
    [ArrayBuffer.prototype, 'transfer'],
  ]) for (const name of names) delete owner?.[name];
  delete globalThis.Iterator;
`;

describe('the oldest browsers that may pay', () => {
  it('store a card', async () => {
    const { context, page, complaints } = await shop.open();
    await context.addInitScript(takeNewerAway);
    await page.reload();
    expect(await page.evaluate(`[typeof Promise.withResolvers, typeof Iterator]`)).toEqual(['undefined', 'undefined']);
    await page.evaluate(`(async () => {
      globalThis.bt = await strongroom(${JSON.stringify(shop.key)});
      globalThis.card = bt.createElement('card');
      await card.mount('#card');
    })()`);
    const frame = await (await page.waitForSelector('#card iframe')).contentFrame();
    expect(await frame?.evaluate('typeof Promise.withResolvers')).toBe('undefined');
    await frame?.locator('input').first().focus();
    await page.keyboard.type('42424242424242421231123');
    await page.waitForFunction('card.metadata.complete');
    const stored = await page.evaluate(
      `bt.tokens.create({ type: 'card', data: card }).then(({ data }) => data.number)`,
    );
    expect(stored).toBe('XXXXXXXXXXXX4242');
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe.each([
  ['style sheets of scripts', 'delete Document.prototype.adoptedStyleSheets'],
  ['ARIA properties', 'delete Element.prototype.ariaLabel'],
  ['mixed colours', 'CSS.supports = () => false'],
])('a browser without %s', (_, takeAway) => {
  it('is told that it is too old', async () => {
    const { context, page } = await shop.open();
    await page.evaluate(takeAway);
    const told = await page.evaluate('strongroom(key).then(() => "opened", ({ message }) => message)');
    expect(told).toBe('Card fields need a newer browser: Chrome or Edge 111, Firefox 119, or Safari 16.4.');
    await context.close();
  });
});

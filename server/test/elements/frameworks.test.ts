import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ElementsShop, type ShopPage } from '../harness/elements-shop.ts';
import { bundlePage, frameworks } from '../harness/framework-page.ts';

let shop: ElementsShop;
beforeAll(async () => {
  shop = await ElementsShop.start();
});
afterAll(() => shop.stop());

describe.each(frameworks)('the components of %s', (framework) => {
  let opened: ShopPage;
  let page: Page;
  beforeAll(async () => {
    const script = (await bundlePage(framework)).replaceAll('</script', String.raw`<\/script`);
    const settings = JSON.stringify({ key: shop.key, elementsUrl: shop.elementsUrl });
    const wrong = JSON.stringify({ key: shop.tenant.keys.reveal, elementsUrl: shop.elementsUrl });
    const documentWith = (given: string) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
      <div id="app"></div><script>globalThis.settings = ${given}</script><script type="module">${script}</script>`;
    shop.serve(`/${framework}`, documentWith(settings));
    shop.serve(`/${framework}/wrong-key`, documentWith(wrong));
  });
  beforeEach(async () => {
    opened = await shop.open({ path: `/${framework}` });
    ({ page } = opened);
    await page.waitForFunction('page.element()?.mounted');
  });

  const numberInput = async () => (await opened.frameOf('number')).locator('input');

  it('report events, and give the element that a token is made of', async () => {
    await (await numberInput()).pressSequentially('4242424242424242');
    await page.waitForFunction('page.element().metadata.complete');
    const events = await page.evaluate<string[]>('page.events');
    expect(events[0]).toBe('ready');
    expect(events).toContain('change');
    const token = await page.evaluate(
      `page.strongroom.tokens.create({ type: 'card_number', data: page.element() }).then(({ data }) => data)`,
    );
    expect(token).toBe('XXXXXXXXXXXX4242');
    expect(opened.complaints).toEqual([]);
  });

  it('label the field, and apply changed options without losing what was typed', async () => {
    const input = await numberInput();
    expect(await input.getAttribute('aria-label')).toBe('Number');
    expect(await input.getAttribute('placeholder')).toBe('first');
    await input.fill('4242');
    await page.evaluate(`page.change({ placeholder: 'second', disabled: true })`);
    await expect.poll(() => input.getAttribute('placeholder')).toBe('second');
    expect(await input.isDisabled()).toBe(true);
    expect(await input.inputValue()).toBe('4242');
  });

  it('take objects that the framework watches, and notice changes inside of them', async () => {
    const frame = await opened.frameOf('number');
    const color = () => frame.evaluate(`getComputedStyle(document.querySelector('input')).color`);
    expect(await color()).toBe('rgb(1, 2, 3)');
    await page.evaluate(`page.recolor('rgb(4, 5, 6)')`);
    await expect.poll(color).toBe('rgb(4, 5, 6)');
    expect(opened.complaints).toEqual([]);
  });

  it('show the value of another element', async () => {
    await (await numberInput()).fill('4242424242424242');
    const follower = (await opened.frameOf('follower')).locator('input');
    await expect.poll(() => follower.inputValue()).toBe('4242 4242 4242 4242');
  });

  it('leave only the frame of the controller when they are removed, and come back', async () => {
    const frames = () => page.evaluate<number>(`document.querySelectorAll('iframe').length`);
    expect(await frames()).toBe(3);
    await page.evaluate('page.change({ isShown: false })');
    await expect.poll(frames).toBe(1);
    expect(await page.evaluate('page.element()')).toBeUndefined();
    await page.evaluate('page.change({ isShown: true })');
    await page.waitForFunction('page.element()?.mounted');
    expect(await (await numberInput()).inputValue()).toBe('');
  });

  it('give an option that is not valid to the error handler of the page', async () => {
    await page.evaluate('page.change({ maxElapsedExpirationYear: -1 })');
    await expect.poll(() => page.evaluate('page.error')).toBe('maxElapsedExpirationYear is not valid.');
  });

  it('say why they cannot be opened', async () => {
    await page.goto(`${shop.origin}/${framework}/wrong-key`);
    await expect
      .poll(() => page.evaluate('page.openingError'))
      .toBe('Elements need the key of a public application (key_…_pub_…).');
  });
});

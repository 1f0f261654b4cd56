import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ElementsShop, type ShopPage } from '../harness/elements-shop.ts';

let shop: ElementsShop;
let opened: ShopPage;
let number: Frame;
let code: Frame;
let requests: string[];

beforeAll(async () => {
  shop = await ElementsShop.start();
  opened = await shop.open();
  opened.page.on('request', (request) => {
    if (request.method() === 'POST') requests.push(request.url());
  });
});
afterAll(() => shop.stop());

beforeEach(async () => {
  requests = [];
  await opened.page.reload();
  await opened.page.evaluate(`globalThis.key = ${JSON.stringify(shop.key)}`);
  await opened.page.evaluate(`(async () => {
    globalThis.bt = await strongroom(key);
    globalThis.elements = {
      number: bt.createElement('cardNumber', { targetId: 'number' }),
      code: bt.createElement('cardVerificationCode', { targetId: 'code' }),
    };
    await Promise.all(Object.entries(elements).map(([id, element]) => element.mount('#' + id)));
  })()`);
  [number, code] = await Promise.all([opened.frameOf('number'), opened.frameOf('code')]);
});

const visa = '4242424242424242';
const amex = '378282246310005';
const type = (frame: Frame, text: string) => frame.locator('input').first().fill(text);
const judged = () =>
  opened.page.evaluate(`(() => {
    const { complete, valid } = elements.code.metadata;
    return complete ? 'complete' : valid === false ? 'refused' : 'other';
  })()`);
const whenJudged = (wanted: string) => expect.poll(judged, { interval: 5, timeout: 15_000 }).toBe(wanted);
const pay = () =>
  opened.page.evaluate(
    `bt.tokens.create({ type: 'card', data: { number: elements.number, cvc: elements.code } }).then(
      () => 'stored', ({ name, details, message }) => details?.data ?? (name + message))`,
  );

describe('a code beside a number', () => {
  it.each([
    ['Visa', visa, '1234', 'invalid'],
    ['American Express', amex, '123', 'incomplete'],
  ])('of %s, %s, is not %s', async (_, cardNumber, entered, problem) => {
    await type(number, cardNumber);
    await type(code, entered);
    await whenJudged('refused');
    expect(await pay()).toEqual({ cvc: { type: problem } });
    expect(requests).toEqual([]);
  });

  it.each([
    [visa, '123'],
    [amex, '1234'],
    ['9792000000000003', '1234'],
  ])('of %s may be %s, whichever is entered first', async (cardNumber, entered) => {
    await type(code, entered);
    await type(number, cardNumber);
    await whenJudged('complete');
  });

  it('is judged again when the number changes', async () => {
    await type(number, amex);
    await type(code, '1234');
    await whenJudged('complete');
    await type(number, visa);
    await whenJudged('refused');
    await type(code, '123');
    await whenJudged('complete');
    expect(await pay()).toBe('stored');
  });

  it('has the length of the brand that the page set', async () => {
    await opened.page.evaluate(`elements.code.update({ cardBrand: 'american-express' })`);
    await type(number, visa);
    await type(code, '1234');
    await whenJudged('complete');
    // The vault itself refuses what the page had wrong.
    expect(await pay()).toMatchObject(expect.stringContaining('StrongroomApiError'));
  });

  it('has any length while two numbers are in the page', async () => {
    await type(number, visa);
    await type(code, '1234');
    await whenJudged('refused');
    await opened.page.evaluate(`(async () => {
      elements.other = bt.createElement('cardNumber', { targetId: 'other' });
      await elements.other.mount('#text');
    })()`);
    await type(await opened.frameOf('text'), amex);
    await whenJudged('complete');
    await opened.page.evaluate(`elements.other.unmount()`);
    await whenJudged('refused');
  });
});

import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ElementsShop, type ShopPage } from '../harness/elements-shop.ts';

let shop: ElementsShop;
let opened: ShopPage;
beforeAll(async () => {
  shop = await ElementsShop.start();
  shop.serve('/de', shop.document().replace('lang="en"', 'lang="de-AT"'));
  opened = await shop.open();
});
afterAll(() => shop.stop());

/** Opens a page with the elements of a card, in this order, and options that all of them get. */
async function begin(options = '{}', path = '/'): Promise<void> {
  await opened.page.goto(`${shop.origin}${path}`);
  await opened.page.evaluate(`globalThis.key = ${JSON.stringify(shop.key)}`);
  await opened.page.evaluate(`(async () => {
    globalThis.bt = await strongroom(key);
    globalThis.elements = {};
    const types = { number: 'cardNumber', date: 'cardExpirationDate', code: 'cardVerificationCode', card: 'card' };
    await Promise.all(Object.entries(types).map(([id, type]) => {
      elements[id] = bt.createElement(type, { targetId: id, ...${options} });
      return elements[id].mount('#' + id);
    }));
  })()`);
}

const problemsOf = (id: string) => opened.page.evaluate(`elements.${id}.problems`);
const whenProblemsOf = (id: string, problems: unknown) =>
  expect.poll(() => problemsOf(id), { interval: 5, timeout: 15_000 }).toEqual(problems);
const firstInput = async (id: string) => (await opened.frameOf(id)).locator('input').first();
const valuesIn = (frame: Frame) =>
  frame.evaluate<string[]>(`[...document.querySelectorAll('input')].map(({ value }) => value)`);

describe('somebody who types', () => {
  beforeEach(() => begin());

  it.each([
    ['number', '', 'empty', 'Enter the card number.'],
    ['number', '42', 'incomplete', 'The card number is incomplete.'],
    ['number', '4242424242424241', 'checksum', 'Check the digits of the card number.'],
    ['number', '9999999999', 'brand', 'This card is not supported.'],
    ['date', '0120', 'expired', 'The card has expired.'],
    ['date', '13', 'invalid', 'Check the month.'],
  ])('into the %s "%s" gets the reason %s', async (id, entered, reason, message) => {
    await (await firstInput(id)).fill(entered);
    await whenProblemsOf(id, [{ targetId: id, reason, message }]);
  });

  it('hears the sentence when leaving the input, and no longer when it is corrected', async () => {
    const frame = await opened.frameOf('number');
    const input = frame.locator('input');
    const described = () =>
      frame.evaluate(
        `document.getElementById(document.querySelector('input').getAttribute('aria-describedby')).textContent`,
      );
    await input.fill('4242');
    expect(await described()).toBe('');
    await input.blur();
    await expect.poll(described).toBe('The card number is incomplete.');
    await input.fill('4242424242424242');
    await expect.poll(described).toBe('');
    await whenProblemsOf('number', []);
  });
});

describe('the sentences', () => {
  it('are in the language of the page', async () => {
    await begin('{}', '/de');
    await whenProblemsOf('date', [{ targetId: 'date', reason: 'empty', message: 'Geben Sie das Ablaufdatum ein.' }]);
  });

  it('can be those of the page, for a reason or for one input', async () => {
    await begin(`{ texts: { empty: 'Missing', 'cvc.empty': 'And the code?' } }`);
    await whenProblemsOf('card', [
      { targetId: 'cardNumber', reason: 'empty', message: 'Missing' },
      { targetId: 'expirationDate', reason: 'empty', message: 'Missing' },
      { targetId: 'cvc', reason: 'empty', message: 'And the code?' },
    ]);
  });

  it('are not told about values that were filled in by reference', async () => {
    await begin();
    await (await firstInput('number')).fill('4242');
    await opened.page.evaluate(`(async () => {
      elements.copy = bt.createElement('cardNumber', { targetId: 'copy' });
      await elements.copy.mount('#copy');
      const filled = new Promise((resolve) => elements.copy.on('change', resolve));
      elements.copy.setValueRef(elements.number);
      await filled;
    })()`);
    expect(await problemsOf('copy')).toEqual([]);
  });
});

describe('the focus', () => {
  const type = async (id: string, text: string) => {
    await (await firstInput(id)).focus();
    await opened.page.keyboard.type(text);
  };

  it.each([
    ['4242424242424242', '4242 4242 4242 4242'],
    ['378282246310005', '3782 822463 10005'],
  ])('moves on within a card by itself after %s', async (number, shown) => {
    await begin();
    await type('card', `${number}1231123`);
    expect(await valuesIn(await opened.frameOf('card'))).toEqual([shown, '12/31', '123']);
  });

  it('is not moved again by somebody who presses Tab out of habit', async () => {
    await begin();
    await type('card', '4242424242424242');
    for (const text of ['1231', '123']) {
      await opened.page.keyboard.press('Tab');
      await opened.page.keyboard.type(text);
    }
    expect(await valuesIn(await opened.frameOf('card'))).toEqual(['4242 4242 4242 4242', '12/31', '123']);
  });

  it('stays after a wrong number, and if the page says so', async () => {
    await begin('{ autoAdvance: false }');
    await type('card', '42424242424242421231');
    expect((await valuesIn(await opened.frameOf('card'))).slice(1)).toEqual(['', '']);
    await begin();
    await type('card', '4242424242424241');
    await opened.page.keyboard.type('1231');
    expect((await valuesIn(await opened.frameOf('card'))).slice(1)).toEqual(['', '']);
  });

  it('moves to the next element if the page says so', async () => {
    await begin('{ autoAdvance: true }');
    await type('number', '4242424242424242');
    await expect
      .poll(() => opened.page.evaluate('document.activeElement.parentElement.id'), { interval: 5, timeout: 15_000 })
      .toBe('date');
  });
});

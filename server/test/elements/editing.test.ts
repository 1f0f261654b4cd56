import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ElementsShop } from '../harness/elements-shop.ts';

let shop: ElementsShop;
let page: Page;
let frames: Readonly<Record<string, Frame>>;

const mountAll = `(async () => {
  globalThis.bt = await strongroom(key);
  globalThis.elements = {
    number: bt.createElement('cardNumber', { targetId: 'number' }),
    date: bt.createElement('cardExpirationDate', { targetId: 'date' }),
    card: bt.createElement('card'),
    text: bt.createElement('text', { targetId: 'text', mask: ['(', /\\d/, /\\d/, ')', ' ', /\\d/, /\\d/, '%'] }),
  };
  await Promise.all(Object.entries(elements).map(([id, element]) => element.mount('#' + id)));
})()`;

beforeAll(async () => {
  shop = await ElementsShop.start();
  const opened = await shop.open();
  ({ page } = opened);
  await opened.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: shop.origin });
  await page.evaluate(mountAll);
  const ids = ['number', 'date', 'card', 'text'];
  frames = Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await opened.frameOf(id)] as const)));
});
afterAll(() => shop.stop());

function frameOf(id: string): Frame {
  const frame = frames[id];
  if (frame === undefined) throw new Error(`There is no frame for ${id}.`);
  return frame;
}

/** Returns the input's text, with a bar at the caret or two bars around the selection. */
function look(id: string): Promise<string> {
  return frameOf(id).evaluate(`(() => {
    const { value, selectionStart: start, selectionEnd: end } = document.querySelector('input');
    return value.slice(0, start) + '|' + (start === end ? '' : value.slice(start, end) + '|') + value.slice(end);
  })()`);
}

/** Puts a text like `42|42` into an input, including the caret or selection. */
async function begin(id: string, marked: string): Promise<void> {
  const [start, middle = '', end] = marked.split('|');
  const input = frameOf(id).locator('input').first();
  await input.focus();
  await input.selectText();
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(marked.replaceAll('|', ''));
  const from = (start ?? '').length;
  const to = end === undefined ? from : from + middle.length;
  await frameOf(id).evaluate(`document.querySelector('input').setSelectionRange(${from}, ${to})`);
  expect(await look(id)).toBe(marked);
}

async function enter(keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    if (!key.startsWith('paste ')) {
      await page.keyboard.press(key);
      continue;
    }
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(key.slice('paste '.length))})`);
    await page.keyboard.press('ControlOrMeta+v');
  }
}

type Case = readonly [id: string, before: string, keys: readonly string[], after: string];

const cases: readonly Case[] = [
  ['number', '42|42 4242', ['9', '9'], '4299| 4242 42'],
  ['number', '4242| 4242', ['1'], '4242 1|424 2'],
  ['number', '4242| 4242', ['x'], '4242| 4242'],
  ['number', '42|42 4242 4242 4242 424', ['9'], '42|42 4242 4242 4242 424'],
  ['number', '4242 4|', ['Backspace'], '4242|'],
  ['number', '4242 |4242', ['Backspace'], '424|4 242'],
  ['number', '4242| 4242', ['Delete'], '4242| 242'],
  ['number', '42|42 42|42 4242', ['1'], '421|4 2424 2'],
  ['number', '42|42 42|42 4242', ['Backspace'], '42|42 4242'],
  ['number', '|4242 4242 4242 4242|', ['5'], '5|'],
  ['number', '4242 |4242', ['paste 11-11'], '4242 1111| 4242'],
  ['number', '3782 822463 |10005', ['Backspace'], '3782 82246|1 0005'],
  ['number', '4242 4242 4242 4242|', ['4', '2', '4'], '4242 4242 4242 4242 424|'],
  ['number', '4242 4242 4242 4242 424|', ['4'], '4242 4242 4242 4242 424|'],
  ['number', '4242 4242 4242 4242 4|', ['Backspace', 'Backspace'], '4242 4242 4242 424|'],
  ['date', '|', [...'12/2030'], '12/30|'],
  ['date', '|', [...'122030'], '12/30|'],
  ['date', '|', [...'1/30'], '01/30|'],
  ['date', '|', [...'330'], '03/30|'],
  ['date', '|', ['paste 12/2030'], '12/30|'],
  ['date', '|', ['paste 1 / 30'], '01/30|'],
  ['date', '|', ['paste 2030-12'], '12/30|'],
  ['date', '|12/30|', ['paste 01.2031'], '01/31|'],
  ['date', '12|/30', ['Backspace', '1'], '11|/30'],
  ['date', '12/|30', ['Backspace'], '1|3/0'],
  ['date', '|12|/30', ['0', '5'], '05|/30'],
  ['date', '|12|/30', ['3'], '03|/30'],
  ['date', '12/|30|', ['3', '1'], '12/31|'],
  ['date', '1|2/30', ['1'], '1|2/30'],
  ['date', '12/30|', ['Backspace', 'Backspace', 'Backspace', 'Backspace'], '|'],
  ['text', '|', [...'12'], '(12|'],
  ['text', '|', [...'ab1234'], '(12) 34%|'],
  ['text', '(12) 34%|', ['Backspace'], '(12) 3|'],
  ['text', '(12) |34%', ['Backspace'], '(1|3) 4'],
  ['text', '(1|2) 3', ['9'], '(19|) 23%'],
  ['text', '|', ['paste 1-2-3-4-5'], '(12) 34%|'],
];

describe('somebody who edits', () => {
  it.each(cases)('in %s: %s, then %j, gets %s', async (id, before, keys, after) => {
    await begin(id, before);
    await enter(keys);
    expect(await look(id)).toBe(after);
  });
});

describe('the code of a card', () => {
  const shown = () => frameOf('card').evaluate<string[]>(`[...document.querySelectorAll('input')].map((i) => i.value)`);

  it('is as long as the brand says, and is not cut when the number changes', async () => {
    const [number, , code] = await frameOf('card').locator('input').all();
    await code?.pressSequentially('12345');
    expect(await shown()).toEqual(['', '', '1234']);
    await number?.pressSequentially('4242424242424242');
    expect(await shown()).toEqual(['4242 4242 4242 4242', '', '1234']);
    await page.evaluate('elements.card.validate()');
    await expect
      .poll(() => page.evaluate('elements.card.metadata.errors'))
      .toEqual([
        { targetId: 'expirationDate', type: 'incomplete' },
        { targetId: 'cvc', type: 'invalid' },
      ]);
    await number?.selectText();
    await number?.pressSequentially('378282246310005');
    await expect
      .poll(() => page.evaluate('elements.card.metadata.errors'))
      .toEqual([{ targetId: 'expirationDate', type: 'incomplete' }]);
  });
});

import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cardNumbers } from '../harness/card-numbers.ts';
import { ElementsShop, type ShopPage } from '../harness/elements-shop.ts';
import { fillInCard } from '../harness/fill-in-card.ts';

let shop: ElementsShop;
let opened: ShopPage;
let frames: Readonly<Record<'number' | 'date' | 'code' | 'card' | 'text', Frame>>;

/**
 * Every length of every brand is typed. The other input methods are tested with one length per brand, or with all
 * lengths by `npm run test:elements`.
 */
const isWhole = process.env['ELEMENTS_LOOKS'] === 'all';
const oneOfEach = cardNumbers.filter(
  ({ brand }, index) => cardNumbers.findIndex((other) => other.brand === brand) === index,
);

const ids = ['number', 'date', 'code', 'card', 'text'] as const;
const mountAll = `(async () => {
  globalThis.bt = await strongroom(key);
  const types = { number: 'cardNumber', date: 'cardExpirationDate', code: 'cardVerificationCode', card: 'card', text: 'text' };
  globalThis.elements = {};
  for (const [id, type] of Object.entries(types))
    elements[id] = bt.createElement(type, { targetId: id, ...(id === 'text' ? { autoComplete: 'cc-name' } : {}) });
  await Promise.all(Object.entries(elements).map(([id, element]) => element.mount('#' + id)));
})()`;

beforeAll(async () => {
  // The headless shell does not fill in saved data, but the full browser does.
  shop = await ElementsShop.start({}, 'chromium');
});
afterAll(() => shop.stop());

/** Opens a new page, because a browser does not fill in fields that somebody has typed into. */
async function openPage(): Promise<void> {
  opened = await shop.open();
  await opened.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: shop.origin });
  await opened.page.evaluate(mountAll);
  const found = await Promise.all(ids.map(async (id) => [id, await opened.frameOf(id)] as const));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- There is one entry for each of the ids.
  frames = Object.fromEntries(found) as typeof frames;
}

interface Entry {
  readonly number: string;
  readonly code: string;
  /** The text between groups of digits when the number is pasted. */
  readonly separator: string;
}
type Way = (entry: Entry) => Promise<void>;

const holder = 'Zoë Berg';

async function eachInput(enter: (entered: string) => Promise<void>, { number, code }: Entry, date: string) {
  const { keyboard } = opened.page;
  const inTurn = [
    [frames.number, [number]],
    [frames.date, [date]],
    [frames.code, [code]],
    [frames.text, [holder]],
    [frames.card, [number, date, code]],
  ] as const;
  for (const [frame, entries] of inTurn) {
    await frame.locator('input').first().focus();
    for (const [index, entered] of entries.entries()) {
      if (index > 0) await keyboard.press('Tab');
      await enter(entered);
    }
  }
}

const ways: Readonly<Record<string, Way>> = {
  typed: (entry) => eachInput((text) => opened.page.keyboard.type(text), entry, '12/2030'),
  pasted: (entry) => {
    const number = ` ${(entry.number.match(/.{1,4}/g) ?? []).join(entry.separator)}\n`;
    const paste = async (text: string) => {
      await opened.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
      await opened.page.keyboard.press('ControlOrMeta+v');
    };
    return eachInput(paste, { ...entry, number }, '12/2030');
  },
  // The browser itself fills a saved card into all frames that belong together.
  'filled in by the browser': async ({ number, code }) => {
    const card = { number, name: holder, expiryMonth: '12', expiryYear: '2030', cvc: code };
    for (const frame of [frames.number, frames.card]) await fillInCard(opened.context, frame, card);
  },
};

async function whenAll(state: 'empty' | 'complete'): Promise<void> {
  const others = () =>
    opened.page.evaluate<string[]>(
      `Object.entries(elements).filter(([, { metadata }]) => !metadata.${state}).map(([id]) => id)`,
    );
  await expect.poll(others, { interval: 5, timeout: 15_000 }).toEqual([]);
}

/** Stores all five elements in one token and returns what the vault has stored. */
async function store(): Promise<unknown> {
  const token = await opened.page.evaluate<{ id: string }>(`bt.tokens.create({ type: 'token', data: {
    number: elements.number, month: elements.date.month(), year: elements.date.year(),
    code: elements.code, card: elements.card, text: elements.text,
  } })`);
  const { body } = await shop.vault.request('GET', `/tokens/${token.id}`, { key: shop.tenant.keys.reveal });
  return (body as { data: unknown }).data;
}

function shownIn(frame: Frame): Promise<string[]> {
  return frame.evaluate(`[...document.querySelectorAll('input')].map(({ value }) => value)`);
}

describe.each(Object.keys(ways))('what is %s', (name) => {
  beforeAll(openPage);
  afterAll(() => opened.context.close());

  it.each(isWhole || name === 'typed' ? cardNumbers : oneOfEach)(
    'is stored: $brand with $length digits',
    async ({ number, brand, groups, separator }) => {
      const { page, complaints } = opened;
      const code = brand === 'american-express' ? '1234' : '123';
      await page.evaluate(`for (const element of Object.values(elements)) element.clear();
      elements.code.update({ cardBrand: '${brand}' })`);
      await whenAll('empty');
      await ways[name]?.({ number, code, separator });
      await whenAll('complete');
      const shown = [groups, '12/30', code];
      expect(await Promise.all([frames.number, frames.date, frames.code].map(shownIn))).toEqual(
        shown.map((one) => [one]),
      );
      expect(await shownIn(frames.card)).toEqual(shown);
      const states = await page.evaluate(
        `[elements.number, elements.card].map(({ cardMetadata }) => cardMetadata.cardBrand)`,
      );
      expect(states).toEqual([brand, brand]);
      const dated = { expiration_month: 12, expiration_year: 2030 };
      expect(await store()).toEqual({
        number,
        month: 12,
        year: 2030,
        code,
        card: { number, ...dated, cvc: code },
        text: holder,
      });
      expect(complaints).toEqual([]);
    },
  );
});

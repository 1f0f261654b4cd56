import axe, { type AxeResults } from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patienceMs } from '../harness/deadline.ts';
import { ElementsShop, type ShopPage } from '../harness/elements-shop.ts';

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const ids = ['number', 'date', 'code', 'card', 'text', 'copy'];

const mountAll = `(async () => {
  globalThis.bt = await strongroom(key);
  globalThis.events = [];
  const types = { number: 'cardNumber', date: 'cardExpirationDate', code: 'cardVerificationCode', card: 'card', text: 'text', copy: 'copyButton' };
  globalThis.elements = {};
  for (const [id, type] of Object.entries(types)) {
    const more = { date: { 'aria-description': 'Month and year, as on the card' }, code: { 'aria-required': true }, text: { enableCopy: true, 'aria-label': 'Name on the card' } };
    const element = bt.createElement(type, { targetId: id, ...more[id] });
    for (const name of ['focus', 'blur', 'keydown', 'copy']) element.on(name, (event) => events.push(event));
    elements[id] = element;
  }
  await Promise.all(Object.entries(elements).map(([id, element]) => element.mount('#' + id)));
  elements.copy.setValueRef(elements.text);
})()`;

let shop: ElementsShop;
beforeAll(async () => {
  shop = await ElementsShop.start();
});
afterAll(() => shop.stop());

describe('somebody with a keyboard', () => {
  let opened: ShopPage;
  beforeAll(async () => {
    opened = await shop.open();
    await opened.page.evaluate(mountAll);
  });
  afterAll(() => opened.context.close());

  /**
   * Returns where the focus is: the id of an input of the page, or the container of a frame and the
   * focused element inside it.
   */
  async function whereFocusIs(): Promise<string> {
    const place = await opened.page.evaluate<string>(`(() => {
      const { activeElement } = document;
      return activeElement.id || activeElement.parentElement.id;
    })()`);
    if (!ids.includes(place)) return place;
    const frame = await opened.frameOf(place);
    const name = await frame.evaluate<string>(
      `document.activeElement.ariaLabel ?? document.activeElement.textContent.slice(0, 20)`,
    );
    return `${place}: ${name}`;
  }

  const order = [
    'before',
    'number: The number',
    'date: The date',
    'code: The code',
    'card: Card number',
    'card: Expiration date',
    'card: Security code',
    'text: Name on the card',
    'text: Copy',
    'copy: Copy',
    'after',
  ];

  it.each([
    ['Tab', order],
    ['Shift+Tab', order.toReversed()],
  ])('goes through the page and its fields with %s, and out again', async (key, expected) => {
    const { page } = opened;
    await page.locator(`#${expected[0]}`).focus();
    // The focus moves between processes, so it arrives a little later.
    for (const [index, place] of expected.entries()) {
      if (index > 0) await page.keyboard.press(key);
      await expect.poll(whereFocusIs, { interval: 5, timeout: 15_000 }).toBe(place);
    }
  });

  it('stays in a field that is complete', async () => {
    const { page } = opened;
    await page.locator('#before').focus();
    for (const [typed, place] of [
      ['4242424242424242', 'number: The number'],
      ['1230', 'date: The date'],
      ['123', 'code: The code'],
    ] as const) {
      await page.keyboard.press('Tab');
      await expect.poll(whereFocusIs, { interval: 5, timeout: 15_000 }).toBe(place);
      await page.keyboard.type(typed);
      expect(await whereFocusIs()).toBe(place);
    }
  });

  it('is reported for Enter and Escape, and for no other key', async () => {
    const { page } = opened;
    await (await opened.frameOf('number')).locator('input').focus();
    await page.evaluate('events.length = 0');
    for (const key of ['a', '4', 'Backspace', 'ArrowLeft', 'Shift+Enter', 'Control+c', 'Escape', 'F2', 'Enter'])
      await page.keyboard.press(key);
    const modifiers = { altKey: false, ctrlKey: false, shiftKey: false, metaKey: false };
    const pressed = { type: 'keydown', targetId: 'number', ...modifiers };
    await expect
      .poll(() => page.evaluate('events'))
      .toEqual([
        { ...pressed, key: 'Enter', shiftKey: true },
        { ...pressed, key: 'Escape' },
        { ...pressed, key: 'Enter' },
      ]);
  });

  it('comes into a field by its label, and by focus()', async () => {
    const { page } = opened;
    for (const id of ids) {
      await page.locator('#before').focus();
      await page.locator(`label[for=${id}]`).click();
      await expect.poll(whereFocusIs).toBe(order.find((place) => place.startsWith(`${id}:`)));
    }
    await page.evaluate('elements.number.focus()');
    await expect.poll(whereFocusIs).toBe('number: The number');
    await page.evaluate('elements.number.blur()');
    await expect.poll(whereFocusIs).not.toBe('number: The number');
  });

  it('can change nothing that is disabled or only to be read', async () => {
    const { page, frameOf } = opened;
    const input = (await frameOf('number')).locator('input');
    const held = await input.inputValue();
    await page.evaluate('elements.number.update({ readOnly: true })');
    await input.focus();
    await page.keyboard.type('1');
    expect(await input.inputValue()).toBe(held);
    await page.evaluate('elements.number.update({ readOnly: false, disabled: true })');
    expect(await input.isDisabled()).toBe(true);
    await page.locator('#before').focus();
    await page.keyboard.press('Tab');
    await expect.poll(whereFocusIs, { interval: 5, timeout: 15_000 }).toBe('date: The date');
    await page.evaluate('elements.number.update({ disabled: false })');
    expect(await input.isEditable()).toBe(true);
  });
});

describe('somebody with a screen reader', () => {
  let opened: ShopPage;
  beforeAll(async () => {
    // Axe is injected into the page and its frames, whose content security policy would block it.
    opened = await shop.open({}, { bypassCSP: true });
    await opened.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await opened.page.evaluate(mountAll);
  });
  afterAll(() => opened.context.close());

  it('hears what each frame and each field is for', async () => {
    const { page, frameOf } = opened;
    const titles = await page.evaluate(`[...document.querySelectorAll('div > iframe')].map(({ title }) => title)`);
    expect(titles).toEqual(['The number', 'The date', 'The code', 'The card', 'Name on the card', 'The copy']);
    await page.evaluate(`elements.number.update({ title: 'Your card number' })`);
    expect(await page.locator('#number iframe').getAttribute('title')).toBe('Your card number');
    const [date, code, card] = await Promise.all(['date', 'code', 'card'].map(frameOf));
    expect(await date?.getByRole('textbox', { name: 'The date' }).getAttribute('aria-description')).toContain('Month');
    expect(await code?.getByRole('textbox', { name: 'The code' }).getAttribute('aria-required')).toBe('true');
    await page.evaluate(`elements.card.update({ 'aria-label': { cardNumber: 'Kartennummer' } })`);
    expect(await card?.getByRole('textbox', { name: 'Kartennummer' }).count()).toBe(1);
    expect(await page.locator('[role=presentation], [role=none]').count()).toBe(0);
  });

  it('hears which field is wrong once that is shown', async () => {
    const { page, frameOf } = opened;
    const card = await frameOf('card');
    const invalid = () =>
      card.evaluate(`[...document.querySelectorAll('input')].map(({ ariaInvalid }) => ariaInvalid)`);
    await card.locator('input').first().pressSequentially('4242424242424242');
    expect(await invalid()).toEqual(['false', 'false', 'false']);
    await page.evaluate('elements.card.validate()');
    await expect.poll(invalid).toEqual(['false', 'true', 'true']);
    await page.evaluate('elements.card.clear()');
    await expect.poll(invalid).toEqual(['false', 'false', 'false']);
  });

  it.each(['text', 'copy'])('hears that %s was copied', async (id) => {
    const { page, frameOf } = opened;
    const input = (await frameOf('text')).locator('input');
    await input.fill('Zoë');
    const frame = await frameOf(id);
    expect(await frame.getByRole('status').textContent()).toBe('');
    await expect
      .poll(async () => {
        await frame.getByRole('button', { name: /^Cop/ }).click();
        return frame.getByRole('status').textContent();
      })
      .toBe('Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('Zoë');
    await frame.getByRole('button', { name: 'Copy', exact: true }).waitFor();
  });

  it('meets nothing that axe finds, on the page and in each frame', async () => {
    const { page } = opened;
    await page.evaluate('elements.number.validate()');
    for (const frame of page.frames())
      await frame.evaluate(`${axe.source}; axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] })`);
    const { violations, passes } = await page.evaluate<AxeResults>(
      `axe.run(document, ${JSON.stringify({ runOnly: rules, pingWaitTime: patienceMs, frameWaitTime: patienceMs })})`,
    );
    expect(violations.map(({ id, nodes }) => `${id} at ${nodes[0]?.target.join(' ')} ${nodes[0]?.html ?? ''}`)).toEqual(
      [],
    );
    const inside = passes.flatMap(({ nodes }) => nodes).filter(({ target }) => target.length > 1);
    expect(new Set(inside.map(({ target }) => String(target[0]))).size).toBe(ids.length);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { webElements } from '../harness/published-package.ts';
import { Shop } from '../harness/shop.ts';
import { type ShopPage, tidyAfter } from '../harness/shop-page.ts';
import { differs } from '../harness/differs.ts';

const vault = inject('vault');
const number = '4242424242424242';
let shop: Shop;
beforeAll(async () => {
  shop = await Shop.start(vault, webElements);
});
afterAll(() => shop.stop());

/** Each element with the text typed into its inputs, and the state that it reports before and after. */
const elements = [
  {
    type: 'card',
    typed: [number, '1230', '123'],
    empty: { empty: true, complete: false, valid: false },
    full: { empty: false, complete: true, valid: true },
    card: { cardBrand: 'visa', cardBin: '42424242', cardLast4: '4242' },
  },
  {
    type: 'cardNumber',
    typed: [number],
    empty: { empty: true, complete: false, valid: false },
    full: { empty: false, complete: true, valid: true },
    card: { cardBrand: 'visa', cardBin: '42424242', cardLast4: '4242' },
  },
  {
    type: 'cardExpirationDate',
    typed: ['1230'],
    empty: { empty: true, complete: false, valid: false },
    full: { empty: false, complete: true, valid: true },
  },
  {
    type: 'cardVerificationCode',
    typed: ['123'],
    empty: { empty: true, complete: false, valid: false },
    full: { empty: false, complete: true, valid: true },
  },
  {
    type: 'text',
    typed: ['Jane Doe'],
    empty: { empty: true, complete: true, valid: true, maskSatisfied: true },
    full: { empty: false, complete: true, valid: true, maskSatisfied: true },
  },
] as const;

describe.each(webElements)('$name', (published) => {
  let page: ShopPage;
  beforeAll(async () => {
    page = await shop.visit(published, { scriptFrom: vault.elementsUrl });
    await page.open();
  });
  afterEach(tidyAfter(() => page));

  describe('createElement', () => {
    it.each(elements)('$type', async ({ type, typed, empty, full, ...more }) => {
      const field = await page.place(type);
      expect(await field.events()).toEqual([{ type: 'ready' }]);
      expect(await field.do('metadata')).toEqual(empty);
      for (const [at, text] of typed.entries()) await field.type(text, at);
      const card = 'card' in more ? more.card : {};
      await field.saw('change', { ...full, ...card });
      expect(await field.do('metadata')).toEqual(full);
      expect(await field.do('cardMetadata')).toEqual('card' in more ? more.card : undefined);
    });

    it('copyButton', async () => {
      const text = await page.place('text', `{ value: 'Copied by a button' }`);
      const button = await page.place('copyButton', `{ text: 'Copy it' }`);
      await button.do(`setValueRef(${text.id})`);
      const copy = (await button.frame()).getByRole('button', { name: 'Copy it' });
      await expect.poll(() => copy.isEnabled()).toBe(true);
      await copy.click();
      await button.saw('click', { targetId: 'copyButton' });
      await button.saw('copy', { targetId: 'copyButton' });
      expect(await page.run('return navigator.clipboard.readText()')).toBe('Copied by a button');
    });

    it('rejects other types, and elements without the targetId that they need', async () => {
      expect(await page.errorOf(`bt.createElement('data', {})`)).toMatchObject({
        message: expect.stringMatching('data'),
      });
      for (const { type } of elements.filter((one) => one.type !== 'card'))
        expect(await page.errorOf(`bt.createElement('${type}', {})`)).toMatchObject({
          message: `The ${type} element needs a targetId.`,
        });
    });
  });

  describe('element.mount', () => {
    it('takes a selector or an element, and says when it is done', async () => {
      const mounted = await page.run(`
        const first = fields.create('by-selector', 'text');
        const before = first.mounted;
        await first.mount('#by-selector');
        const second = fields.create('by-element', 'text');
        await second.mount(document.getElementById('by-element'));
        return [before, first.mounted, second.mounted, document.querySelectorAll('#by-selector iframe, #by-element iframe').length]`);
      expect(mounted).toEqual([false, true, true, 2]);
    });

    it('rejects without a container, and while it is mounted', async () => {
      const field = await page.place('text');
      expect(await page.errorOf(`await fields.create('lonely', 'text').mount('#nothing')`)).toMatchObject({
        message: 'There is nothing in the page to mount the element into.',
      });
      expect(await page.errorOf(`await ${field.id}.mount('#${field.id}')`)).toMatchObject({
        message: 'The element is mounted already.',
      });
    });

    it('waits for a frame on a slow line, and does not load it again', async () => {
      const slow = await shop.visit(published, { scriptFrom: vault.elementsUrl });
      await slow.page.clock.install();
      await slow.open();
      const held = Promise.withResolvers<void>();
      let asked = 0;
      await slow.page.route('**/elements/field?*', async (route) => {
        asked += 1;
        await held.promise;
        await route.continue();
      });
      await slow.run(`globalThis.mounting = fields.place('slow', 'text')`);
      await expect.poll(() => asked).toBe(1);
      await slow.page.clock.fastForward(4_000);
      held.resolve();
      expect(await slow.run('return (await mounting).mounted')).toBe(true);
      expect(asked).toBe(1);
    });

    it('rejects options that cannot be', async () => {
      const script = `await fields.place('odd', 'text', { validation: /(a+)+$/ })`;
      expect(await page.errorOf(script)).toMatchObject({ message: 'validation is not valid.' });
    });
  });

  describe('element.unmount', () => {
    it('removes the frame, and the element can be mounted again', async () => {
      const field = await page.place('text', `{ value: 'gone' }`);
      await field.do('unmount()');
      expect(
        await page.run(`return [${field.id}.mounted, document.querySelectorAll('#${field.id} iframe').length]`),
      ).toEqual([false, 0]);
      await field.do(`mount('#${field.id}')`);
      expect(await field.do('mounted')).toBe(true);
    });

    it('ends a mount that is under way', async () => {
      const script = `const field = fields.create('hasty', 'text');
        const mounting = field.mount('#hasty');
        field.unmount();
        await mounting;`;
      expect(await page.errorOf(script)).toMatchObject({ message: 'The element was unmounted before it was ready.' });
    });

    it('ends a mount whose frame is loading', async () => {
      const script = `const field = fields.create('slow', 'text');
        const mounting = field.mount('#slow');
        await new Promise((resolve) => setTimeout(resolve));
        if (document.querySelector('#slow iframe') === null) throw new Error('There is no frame yet.');
        document.querySelector('#slow').remove();
        await mounting;`;
      expect(await page.errorOf(script)).toMatchObject({ message: 'The element was unmounted before it was ready.' });
    });

    it('happens by itself when the page removes the container', async () => {
      const field = await page.place('text');
      await field.remove();
      await expect.poll(() => field.do('mounted')).toBe(false);
    });
  });

  describe('element.update', () => {
    it('changes a mounted element, and one that is not mounted yet', async () => {
      const field = await page.place('text', `{ placeholder: 'First' }`);
      await field.do(`update({ placeholder: 'Second', disabled: true })`);
      expect([await field.input('placeholder'), await field.input<boolean>('disabled')]).toEqual(['Second', true]);
      await field.do('unmount()');
      await field.do(`update({ placeholder: 'Third' })`);
      await field.do(`mount('#${field.id}')`);
      expect(await field.input('placeholder')).toBe('Third');
    });

    it('keeps rules that judge a value once something was typed', async ({ task }) => {
      differs(task, 'Each change of a rule would be a question about the value. The page is told in its console.');
      const field = await page.place('text', '{ validation: /^a/ }');
      await field.type('b');
      await field.saw('change', { empty: false, complete: false, valid: false, maskSatisfied: true });
      await field.do('update({ validation: /^b/ })');
      expect(await field.do('metadata')).toMatchObject({ valid: false });
      expect(page.complaints.join()).toContain('validation cannot change after something was typed');
    });

    it('rejects options that cannot be', async () => {
      const field = await page.place('text');
      expect(await page.errorOf(`await ${field.id}.update({ maxLength: -1 })`)).toMatchObject({
        message: 'maxLength is not valid.',
      });
    });
  });

  describe('element.validate', () => {
    it('shows what is wrong with what nobody has left yet', async () => {
      const field = await page.place('cardNumber');
      await field.do('validate()');
      const errors = [{ targetId: field.id, type: 'incomplete' }];
      await field.saw('change', { empty: true, complete: false, valid: false, cardBrand: 'unknown', errors });
      expect(await field.do('metadata')).toMatchObject({ errors });
    });
  });

  describe('element.clear', () => {
    it('empties the field', async () => {
      const field = await page.place('text', `{ value: 'something' }`);
      await field.do('clear()');
      await field.saw('change', { empty: true, complete: true, valid: true, maskSatisfied: true });
      expect(await field.input('value')).toBe('');
    });
  });

  describe('element.focus', () => {
    it('moves the focus in', async () => {
      const field = await page.place('text');
      await field.do('focus()');
      await field.saw('focus', { targetId: field.id });
      expect(await (await field.frame()).evaluate('document.hasFocus()')).toBe(true);
    });
  });

  describe('element.blur', () => {
    it('moves the focus out', async () => {
      const field = await page.place('text');
      await field.do('focus()');
      await field.saw('focus', { targetId: field.id });
      await field.do('blur()');
      await field.saw('blur', { targetId: field.id });
    });
  });

  describe('element.on', () => {
    it('stops after unsubscribe', async () => {
      const field = await page.place('text');
      await page.run(`globalThis.heard = [];
        const subscription = ${field.id}.on('change', () => heard.push('first'));
        ${field.id}.on('change', () => heard.push('second'));
        subscription.unsubscribe();`);
      await field.type('a');
      await expect.poll(() => page.run('return heard')).toEqual(['second']);
    });

    it('rejects an unknown type', async () => {
      const error = await page.errorOf(`fields.create('deaf', 'text').on('input', () => {})`);
      expect(error.message).toBe('There is no event "input".');
    });

    it.each([
      { keys: 'Enter', key: 'Enter', held: {} },
      { keys: 'Escape', key: 'Escape', held: {} },
      { keys: 'Control+Shift+Enter', key: 'Enter', held: { ctrlKey: true, shiftKey: true } },
      { keys: 'Alt+Enter', key: 'Enter', held: { altKey: true } },
      { keys: 'Meta+Escape', key: 'Escape', held: { metaKey: true } },
    ])('keydown with $keys', async ({ keys, key, held }) => {
      const field = await page.place('text');
      await (await field.frame()).locator('input').press('a');
      await (await field.frame()).locator('input').press(keys);
      const modifiers = { altKey: false, ctrlKey: false, shiftKey: false, metaKey: false, ...held };
      await field.saw('keydown', { targetId: field.id, key, ...modifiers });
      expect(await field.events('keydown')).toHaveLength(1);
    });
  });

  describe('events of a card', () => {
    it('name the input that they are about', async () => {
      const field = await page.place('card');
      for (const [at, targetId] of ['cardNumber', 'expirationDate', 'cvc'].entries()) {
        await (await field.frame()).locator('input').nth(at).press('Enter');
        await field.saw('focus', { targetId });
        await expect.poll(async () => (await field.events('keydown')).at(-1)).toMatchObject({ targetId });
      }
      await expect
        .poll(async () => (await field.events('blur')).map((event) => event['targetId']))
        .toEqual(['cardNumber', 'expirationDate']);
      await field.do('validate()');
      const errors = ['cardNumber', 'expirationDate', 'cvc'].map((targetId) => ({ targetId, type: 'incomplete' }));
      await field.saw('change', { empty: true, complete: false, valid: false, cardBrand: 'unknown', errors });
    });
  });

  describe('element.setValueRef', () => {
    it.each([
      { type: 'text', value: `'Jane Doe'`, shown: 'Jane Doe' },
      { type: 'cardNumber', value: `'${number}'`, shown: '4242 4242 4242 4242' },
      { type: 'cardExpirationDate', value: `'12/30'`, shown: '12/30' },
      { type: 'cardVerificationCode', value: `'123'`, shown: '123' },
    ])('$type', async ({ type, value, shown }) => {
      const source = await page.place(type, `{ value: ${value} }`);
      const follower = await page.place(type);
      await follower.do(`setValueRef(${source.id})`);
      await expect.poll(() => follower.input('value')).toBe(shown);
      await source.do('clear()');
      await expect.poll(() => follower.input('value')).toBe('');
    });

    it('tells the page nothing about the value but that it is there', async ({ task }) => {
      differs(
        task,
        'A page that links a field to others with rules of its own could ask for the value digit by digit.',
      );
      const source = await page.place('cardNumber', `{ value: '${number}' }`);
      const follower = await page.place('cardNumber');
      await follower.do(`setValueRef(${source.id})`);
      await follower.saw('change', { empty: false, complete: true, cardBrand: 'unknown' });
    });
  });
});

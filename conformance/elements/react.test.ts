import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ApiCaller } from '../harness/api-caller.ts';
import { countListeners } from '../harness/count-listeners.ts';
import { type PublishedPackage, reactElements } from '../harness/published-package.ts';
import { Shop } from '../harness/shop.ts';
import { PlacedField, type ShopPage } from '../harness/shop-page.ts';
import { testCard } from '../harness/value-forms.ts';

const vault = inject('vault');
const backend = new ApiCaller(vault, vault.keys.reveal);
let shop: Shop;
beforeAll(async () => {
  shop = await Shop.start(vault, reactElements);
});
afterAll(() => shop.stop());

const components = [
  { component: 'CardElement', typed: [testCard.number, '1250', '123'], first: 'cardNumber' },
  { component: 'CardNumberElement', typed: [testCard.number] },
  { component: 'CardExpirationDateElement', typed: ['1250'] },
  { component: 'CardVerificationCodeElement', typed: ['123'] },
  { component: 'TextElement', typed: ['Jane Doe'] },
];
const handlers = ['onReady', 'onChange', 'onFocus', 'onBlur', 'onKeyDown', 'onCopy', 'onClick'];
const listen = `Object.fromEntries(${JSON.stringify(handlers)}.map((name) => [name, (event) => heard.push(event)]))`;

async function open(published: PublishedPackage): Promise<ShopPage> {
  const page = await shop.visit(published, { scriptFrom: vault.elementsUrl });
  await page.open();
  await page.page.waitForFunction('seen.bt !== undefined');
  return page;
}

describe.each(reactElements)('$name', (published) => {
  let page: ShopPage;
  beforeAll(async () => {
    page = await open(published);
  });

  /** Renders one component in place of the others, and waits until its field is mounted. */
  const render = async (component: string, props = '{}') => {
    await page.run(`globalThis.heard = []; globalThis.refs ??= {}; const ref = (refs['${component}'] ??= { current: null });
      const handlers = ${listen};
      show((h) => h(published.${component}, { key: '${component}', id: 'field', ref, ...handlers, ...${props} }))`);
    await expect.poll(() => page.run(`return refs['${component}'].current?.mounted`)).toBe(true);
    return new PlacedField(page, 'field');
  };
  const heard = async (type: string) =>
    (await page.run<{ type: string }[]>('return heard')).filter((event) => event.type === type).at(-1);

  describe('useBasisTheory', () => {
    it('gives the instance, and an error where there is none', async () => {
      expect(await page.run(`return typeof seen.bt.createElement`)).toBe('function');
      const wrong = await shop.visit(published, { scriptFrom: vault.elementsUrl });
      await wrong.run(`openShop('${vault.keys.private}', { disableTelemetry: true })`);
      await expect
        .poll(() => wrong.run('return seen.error?.message'))
        .toBe('Elements need the key of a public application (key_…_pub_…).');
    });
  });

  describe('BasisTheoryProvider', () => {
    it('gives the instance to the components inside', async () => {
      expect(await page.run('return seen.fromProvider === seen.bt')).toBe(true);
    });
  });

  describe.each(components)('$component', ({ component, typed, first = 'field' }) => {
    it('calls its handlers, follows its props, and gives its element as a ref', async () => {
      const field = await render(component);
      expect(await heard('ready')).toEqual({ type: 'ready' });
      for (const [at, text] of typed.entries()) await field.type(text, at);
      await expect.poll(() => heard('change')).toMatchObject({ empty: false, complete: true, valid: true });
      await (await field.frame()).locator('input').first().press('Enter');
      await expect.poll(() => heard('keydown')).toMatchObject({ key: 'Enter', targetId: first });
      expect(await heard('focus')).toEqual({ type: 'focus', targetId: first });
      await page.run(`refs['${component}'].current.blur()`);
      await expect.poll(() => heard('blur')).toEqual({ type: 'blur', targetId: first });
      await render(component, `{ disabled: true }`);
      await expect.poll(() => field.input<boolean>('disabled')).toBe(true);
    });
  });

  describe('refs', () => {
    it('of elements are what a token is made of, and what others show', async () => {
      await page.run(`globalThis.refs = { number: { current: null }, date: { current: null }, follower: { current: null } };
        show((h) => [
          h(published.CardNumberElement, { key: 1, id: 'number', ref: refs.number, value: '${testCard.number}' }),
          h(published.CardExpirationDateElement, { key: 2, id: 'date', ref: refs.date, value: '12/50' }),
          h(published.CardNumberElement, { key: 3, id: 'follower', ref: refs.follower, valueRef: refs.number }),
        ])`);
      const areMounted = 'return Object.values(refs).every(({ current }) => current?.mounted)';
      await expect.poll(() => page.run(areMounted)).toBe(true);
      await expect.poll(() => new PlacedField(page, 'follower').input('value')).toBe('4242 4242 4242 4242');
      const id = await page.run<string>(`return (await seen.bt.tokens.create({ type: 'card', data: {
        number: refs.number.current,
        expiration_month: refs.date.current.month(),
        expiration_year: refs.date.current.year(),
      } })).id`);
      const { cvc: _, ...stored } = testCard;
      expect((await backend.read(id)).data).toEqual(stored);
    });
  });

  describe('components that React removes', () => {
    it('leave no frame and no listener, after 50 of them', async () => {
      await page.run('show(() => null)');
      const isEmpty = () => page.run('return document.querySelectorAll("iframe").length');
      await expect.poll(isEmpty).toBe(1);
      const before = await countListeners(page.page, 'message');
      for (let round = 0; round < 5; round += 1) {
        await page.run(`globalThis.refs = Array.from({ length: 10 }, () => ({ current: null }));
          show((h) => refs.map((ref, at) => h(published.TextElement, { key: '${round}.' + at, id: 'text' + at, ref })))`);
        await expect.poll(() => page.run('return refs.some(({ current }) => current?.mounted)')).toBe(true);
        // Some of the elements are still loading at this point.
        await page.run('show(() => null)');
        await expect.poll(isEmpty).toBe(1);
      }
      expect(await page.run('return refs.map(({ current }) => current?.mounted ?? false).includes(true)')).toBe(false);
      expect(await countListeners(page.page, 'message')).toBe(before);
      expect(page.complaints).toEqual([]);
    });
  });
});

describe(reactElements[0]?.name ?? '', () => {
  describe('CopyButtonElement', () => {
    it('copies what another element holds', async () => {
      const page = await open(reactElements[0] ?? { name: '', page: '' });
      await page.run(`globalThis.heard = []; globalThis.refs = { text: { current: null }, button: { current: null } };
        show((h) => [
          h(published.TextElement, { key: 1, id: 'text', ref: refs.text, value: 'Copied in React' }),
          h(published.CopyButtonElement, {
            key: 2, id: 'copy', ref: refs.button, text: 'Copy it', valueRef: refs.text,
            onClick: (event) => heard.push(event), onCopy: (event) => heard.push(event),
          }),
        ])`);
      await expect.poll(() => page.run('return refs.text.current?.mounted && refs.button.current?.mounted')).toBe(true);
      const frame = await new PlacedField(page, 'copy').frame();
      await expect
        .poll(async () => {
          await frame.getByRole('button').click();
          return page.run('return navigator.clipboard.readText()');
        })
        .toBe('Copied in React');
      expect(
        await page.run('return [...new Set(heard.map(({ type, targetId }) => `${type} ${targetId}`))].sort()'),
      ).toEqual(['click copy', 'copy copy']);
    });
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { webElements } from '../harness/published-package.ts';
import { Shop } from '../harness/shop.ts';
import { type PlacedField, type ShopPage, tidyAfter } from '../harness/shop-page.ts';

const vault = inject('vault');
const color = 'rgb(1, 2, 3)';
let shop: Shop;
beforeAll(async () => {
  shop = await Shop.start(vault, webElements);
});
afterAll(() => shop.stop());

/** Options that put a field into the state of a variant, and the element that is styled. */
const variants = [
  { variant: 'base', options: '', target: 'input' },
  { variant: 'container', options: '', target: 'body' },
  { variant: 'empty', options: '', target: 'input' },
  { variant: 'complete', options: `value: 'abc',`, target: 'input' },
  { variant: 'invalid', options: `value: 'abc', validation: /^x/, validateOnChange: true,`, target: 'input' },
];

/** Options or actions that put an input into the state of a selector. */
const selectors: readonly {
  readonly selector: string;
  readonly options?: string;
  readonly act?: (field: PlacedField) => Promise<void>;
}[] = [
  { selector: ':hover', act: async (field) => (await field.frame()).locator('input').hover() },
  { selector: ':focus', act: async (field) => (await field.frame()).locator('input').focus() },
  { selector: ':disabled', options: 'disabled: true,' },
  { selector: ':read-only', options: 'readOnly: true,' },
  { selector: '::placeholder', options: `placeholder: 'Name',` },
  { selector: '::selection' },
];

describe.each(webElements)('$name', (published) => {
  let page: ShopPage;
  beforeAll(async () => {
    page = await shop.visit(published, { scriptFrom: vault.elementsUrl });
    await page.open();
  });
  afterEach(tidyAfter(() => page));

  describe('style', () => {
    it.each(variants)('$variant', async ({ variant, options, target }) => {
      const style = `{ ${variant}: { color: '${color}', fontSize: '20px' } }`;
      const field = await page.place('text', `{ ${options} style: ${style} }`);
      expect(await field.styleOf(target, 'color')).toBe(color);
      expect(await field.styleOf(target, 'fontSize')).toBe('20px');
      await field.do(`update({ style: {} })`);
      expect(await field.styleOf(target, 'color')).not.toBe(color);
    });

    it.each(selectors)('$selector', async ({ selector, options = '', act }) => {
      const style = `{ base: { '${selector}': { color: '${color}' } } }`;
      const field = await page.place('text', `{ ${options} style: ${style} }`);
      const pseudo = selector.startsWith('::') ? selector : undefined;
      const isAlways = options !== '' || pseudo !== undefined;
      if (!isAlways) expect(await field.styleOf('input', 'color')).not.toBe(color);
      await act?.(field);
      expect(await field.styleOf('input', 'color', pseudo)).toBe(color);
    });

    it('every property that the package names', async () => {
      const names = await page.run<string[]>('return published.SAFE_CSS_PROPERTIES');
      const values: Readonly<Record<string, string>> = {
        backgroundColor: color,
        color,
        fontFamily: 'monospace',
        fontSize: '21px',
        fontSmooth: 'antialiased',
        fontStyle: 'italic',
        fontVariant: 'small-caps',
        fontWeight: '700',
        letterSpacing: '2px',
        lineHeight: '30px',
        padding: '3px',
        textAlign: 'right',
        textDecoration: 'underline',
        textShadow: `${color} 1px 1px 1px`,
        textTransform: 'uppercase',
      };
      expect(Object.keys(values).toSorted()).toEqual(names.toSorted());
      const field = await page.place('text', `{ style: { base: ${JSON.stringify(values)} } }`);
      for (const [name, value] of Object.entries(values)) {
        const computed = name === 'fontSmooth' ? 'webkitFontSmoothing' : name;
        expect([name, await field.styleOf('input', computed)]).toEqual([name, expect.stringContaining(value)]);
      }
    });

    it('a copyButton', async () => {
      const field = await page.place(
        'copyButton',
        `{ style: { base: { color: '${color}', ':hover': { opacity: '0.5' } } } }`,
      );
      expect(await field.styleOf('button', 'color')).toBe(color);
      await (await field.frame()).locator('button').hover();
      expect(await field.styleOf('button', 'opacity')).toBe('0.5');
    });

    it.each([
      `backgroundColor: 'url(https://collector.example/pixel)'`,
      `background: 'url(https://collector.example/pixel)'`,
      `backgroundImage: 'image-set("https://collector.example/pixel" 1x)'`,
      `cursor: 'url(https://collector.example/pixel), auto'`,
      `position: 'fixed'`,
      `content: '"x"'`,
    ])('refuses what loads something or is not on the list: %s', async (rule) => {
      const field = await page.place('text', `{ style: { base: { ${rule}, color: '${color}' } } }`);
      const sheet = await (await field.frame()).evaluate<string>(
        `document.adoptedStyleSheets.flatMap(({ cssRules }) => [...cssRules]).map(({ cssText }) => cssText).join()`,
      );
      expect(sheet.replaceAll(/\s/g, '')).toBe('input,.button{color:rgb(1,2,3);}');
      expect([...page.hosts]).not.toContain('collector.example');
    });

    it('fonts load nothing, and the console says so', async () => {
      await page.place('text', `{ style: { fonts: ['https://fonts.example/css2?family=Inter'] } }`);
      expect(page.complaints.join()).toContain('style.fonts has no effect');
      expect([...page.hosts]).not.toContain('fonts.example');
    });
  });
});

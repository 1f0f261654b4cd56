import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ElementsShop } from '../harness/elements-shop.ts';

let shop: ElementsShop;
beforeAll(async () => {
  shop = await ElementsShop.start();
});
afterAll(() => shop.stop());

const ids = ['number', 'date', 'code', 'card', 'text', 'copy'] as const;
const boxes = `<style>
  body { font: 16px/1.5 system-ui, sans-serif; margin: 8px; }
  main > div { border: 1px solid #888; border-radius: 6px; padding: 10px; }
  p { margin: 10px 0 2px; }
  .dark { background: #12151c; color: #e8eaf0; color-scheme: dark; }
  .large { zoom: 2; }
</style>`;
const dark = `{ base: { color: '#e8eaf0' }, invalid: { color: '#ff9c94' } }`;

interface Look {
  readonly name: string;
  readonly html: string;
  readonly style?: string;
  readonly options: NonNullable<Parameters<Browser['newContext']>[0]>;
}
const wide = { width: 700, height: 800 };
const looks: readonly Look[] = [
  { name: 'wide', html: '', options: { viewport: wide } },
  { name: 'narrow', html: '', options: { viewport: { width: 320, height: 800 } } },
  { name: 'right-to-left', html: 'dir="rtl"', options: { viewport: wide } },
  { name: 'right-to-left-narrow', html: 'dir="rtl"', options: { viewport: { width: 320, height: 800 } } },
  { name: 'large', html: 'class="large"', options: { viewport: { width: 640, height: 800 } } },
  { name: 'dark', html: 'class="dark"', style: dark, options: { viewport: wide, colorScheme: 'dark' } },
  { name: 'forced-colors', html: '', options: { viewport: wide, forcedColors: 'active' } },
];

/** The looks that break most easily. `npm run test:elements` tests all of them. */
const usual = ['narrow', 'right-to-left-narrow', 'dark'];
const shown = looks.filter(({ name }) => process.env['ELEMENTS_LOOKS'] === 'all' || usual.includes(name));

/** Lists the layout errors in the frame of a field: content that is cut off or overflows. */
const faults = `(() => {
  const { scrollWidth, scrollHeight } = document.documentElement;
  const found = [];
  if (scrollWidth > innerWidth) found.push('is ' + (scrollWidth - innerWidth) + ' pixels too wide');
  if (scrollHeight > innerHeight) found.push('is ' + (scrollHeight - innerHeight) + ' pixels too high');
  for (const part of document.querySelectorAll('input, button, svg')) {
    const { left, right, top, bottom, width } = part.getBoundingClientRect();
    if (width === 0 || left < -0.5 || right > innerWidth + 0.5 || top < -0.5 || bottom > innerHeight + 0.5)
      found.push(part.outerHTML + ' is outside');
    if (part.value && part.scrollWidth > part.clientWidth) found.push(part.value + ' is cut off');
  }
  return found;
})()`;

describe('the fields of a page', () => {
  it.each(shown)('fit and are readable: $name', async ({ name, html, style = '{}', options }) => {
    shop.serve(`/${name}`, shop.document(boxes).replace('<html lang="en">', `<html lang="en" ${html}>`));
    const { page, context, complaints, frameOf } = await shop.open({ path: `/${name}` }, options);
    await page.evaluate(`(async () => {
      globalThis.bt = await strongroom(key);
      const types = ['cardNumber', 'cardExpirationDate', 'cardVerificationCode', 'card', 'text', 'copyButton'];
      globalThis.elements = {};
      await Promise.all(${JSON.stringify(ids)}.map((id, index) => {
        elements[id] = bt.createElement(types[index], { targetId: id, style: ${style}, enableCopy: id === 'text' });
        return elements[id].mount('#' + id);
      }));
    })()`);
    await shop.chromium.photograph(page, `elements-${name}-empty`);
    const inputOf = async (id: string, index = 0) => (await frameOf(id)).locator('input').nth(index);
    await (await inputOf('number')).fill('4242424242424242424');
    await (await inputOf('date')).fill('1130');
    await (await inputOf('code')).fill('12');
    await (await inputOf('text')).fill('Zoë van der Berg');
    for (const [index, entered] of ['378282246310005', '0120', '1234'].entries())
      await (await inputOf('card', index)).fill(entered);
    await page.evaluate('for (const element of Object.values(elements)) element.validate()');
    for (const id of ids) {
      const frame = await frameOf(id);
      await expect
        .poll(async () => ({ id, found: await frame.evaluate(faults) }), { timeout: 10_000 })
        .toEqual({ id, found: [] });
    }
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    const alignment = await (await frameOf('number')).evaluate(
      `(({ direction, textAlign }) => [direction, textAlign])(getComputedStyle(document.querySelector('input')))`,
    );
    expect(alignment).toEqual(['ltr', html.includes('rtl') ? 'right' : 'start']);
    await shop.chromium.photograph(page, `elements-${name}`);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

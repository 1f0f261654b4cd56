import type { EnginePage } from '../harness/engines/engine.ts';
import { type Journey, openShop, until } from './journey.ts';

const inputIn = (id: string) => ({ frameIn: `#${id}`, at: 'input' });
const valueIn = (page: EnginePage, id: string) => page.evaluate(`document.querySelector('input').value`, `#${id}`);
const textOf = (page: EnginePage, at: string) => page.evaluate(`document.querySelector('${at}').textContent`);

/** What people do with card fields, in the shop of `strongroom dev`. */
export const shopJourneys: readonly Journey[] = [
  {
    name: 'pays with a card and looks at it',
    run: async (visit) => {
      await openShop(visit);
      const { page } = visit;
      await page.type(inputIn('number'), '4242424242424242');
      await page.type(inputIn('date'), '1231');
      await page.type(inputIn('code'), '123');
      const typed = [await valueIn(page, 'number'), await valueIn(page, 'date'), await valueIn(page, 'code')];
      await page.click({ at: '#pay button' });
      await until(page, `document.querySelector('#paid').textContent !== ''`);
      await page.click({ at: '#show' });
      await until(page, `document.querySelector('input').value !== ''`, '#shown-number');
      return { typed, paid: await textOf(page, '#paid'), shown: await valueIn(page, 'shown-number') };
    },
    found: {
      typed: ['4242 4242 4242 4242', '12/31', '123'],
      paid: 'Paid with Visa •••• 4242',
      shown: '4242 4242 4242 4242',
    },
  },
  {
    name: 'edits the number of an American Express card',
    run: async (visit) => {
      await openShop(visit);
      const { page } = visit;
      await page.type(inputIn('number'), '378282246310005');
      const typed = await valueIn(page, 'number');
      for (const _ of '0005') await page.press(inputIn('number'), 'Backspace');
      const shortened = await valueIn(page, 'number');
      await page.press(inputIn('number'), 'ArrowLeft');
      await page.press(inputIn('number'), 'Backspace');
      return [typed, shortened, await valueIn(page, 'number')];
    },
    found: ['3782 822463 10005', '3782 822463 1', '3782 822461'],
  },
  {
    name: 'lets the browser fill in a date with four digits of a year',
    run: async (visit) => {
      await openShop(visit);
      const { page } = visit;
      await page.evaluate(
        `(() => {
          const input = document.querySelector('input');
          input.value = '12/2031';
          input.dispatchEvent(new Event('input', { bubbles: true }));
        })()`,
        '#date',
      );
      return valueIn(page, 'date');
    },
    found: '12/31',
  },
  {
    name: 'clicks a label and types',
    run: async (visit) => {
      await openShop(visit);
      const { page } = visit;
      await page.click({ at: 'label[for=date]' });
      await until(page, `document.activeElement === document.querySelector('#date iframe')`);
      await until(page, `document.activeElement === document.querySelector('input')`, '#date');
      return page.evaluate(`document.querySelector('#date').classList.contains('focused')`);
    },
    found: true,
  },
];

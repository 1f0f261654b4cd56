import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { webElements } from '../harness/published-package.ts';
import { Shop } from '../harness/shop.ts';
import { type PlacedField, type ShopPage, tidyAfter } from '../harness/shop-page.ts';

const vault = inject('vault');
const number = '4242424242424242';
let shop: Shop;
beforeAll(async () => {
  shop = await Shop.start(vault, webElements);
});
afterAll(() => shop.stop());

interface OptionCase {
  readonly option: string;
  readonly type: string;
  readonly options: string;
  readonly shows: (field: PlacedField, page: ShopPage) => Promise<void>;
}

/** Checks a property of all inputs of a field. */
const inputs = (property: string, ...expected: readonly unknown[]) => {
  return async (field: PlacedField) => {
    const script = `[...document.querySelectorAll('input')].map((input) => input.${property})`;
    expect(await (await field.frame()).evaluate(script)).toEqual(expected);
  };
};
/** Types text and checks the metadata that the field reports. */
const typed = (text: string, metadata: Readonly<Record<string, unknown>>) => {
  return async (field: PlacedField) => {
    await field.type(text);
    await expect.poll(() => field.do('metadata')).toMatchObject(metadata);
  };
};
/** Checks the text in the input. */
const value = (text: string) => inputs('value', text);

const cases: readonly OptionCase[] = [
  { option: 'aria-label', type: 'text', options: `{ 'aria-label': 'Name' }`, shows: inputs('ariaLabel', 'Name') },
  {
    option: 'title',
    type: 'cardNumber',
    options: `{ title: 'The number' }`,
    shows: async ({ id }, page) => {
      expect(await page.run(`return document.querySelector('#${id} iframe').title`)).toBe('The number');
    },
  },
  {
    option: 'autoComplete',
    type: 'text',
    options: `{ autoComplete: 'cc-name' }`,
    shows: inputs('autocomplete', 'cc-name'),
  },
  {
    option: 'autoComplete of a card',
    type: 'card',
    options: `{ autoComplete: { number: 'off', expirationDate: 'cc-exp', csc: 'off' } }`,
    shows: inputs('autocomplete', 'off', 'cc-exp', 'off'),
  },
  { option: 'inputMode', type: 'text', options: `{ inputMode: 'tel' }`, shows: inputs('inputMode', 'tel') },
  {
    option: 'placeholder',
    type: 'cardNumber',
    options: `{ placeholder: 'Number' }`,
    shows: inputs('placeholder', 'Number'),
  },
  {
    option: 'placeholder of a card',
    type: 'card',
    options: `{ placeholder: { cardNumber: 'N', cardExpirationDate: 'D', cardSecurityCode: 'C' } }`,
    shows: inputs('placeholder', 'N', 'D', 'C'),
  },
  { option: 'disabled', type: 'text', options: '{ disabled: true }', shows: inputs('disabled', true) },
  { option: 'readOnly', type: 'card', options: '{ readOnly: true }', shows: inputs('readOnly', true, true, true) },
  {
    option: 'validateOnChange',
    type: 'cardNumber',
    options: '{ validateOnChange: true }',
    shows: typed('4', { errors: [{ targetId: expect.any(String), type: 'incomplete' }] }),
  },
  {
    option: 'skipLuhnValidation',
    type: 'cardNumber',
    options: '{ skipLuhnValidation: true }',
    shows: async (field) => {
      await field.type('4242424242424241');
      await expect.poll(() => field.do('metadata')).toMatchObject({ complete: true, valid: true });
    },
  },
  {
    option: 'cardTypes',
    type: 'cardNumber',
    options: '{ cardTypes: [published.VISA, published.AMERICAN_EXPRESS] }',
    shows: typed('5555555555554444', { complete: false, valid: false }),
  },
  {
    option: 'all card types of the package',
    type: 'cardNumber',
    options: '{ cardTypes: published.DEFAULT_CARD_TYPES }',
    shows: typed('5555555555554444', { complete: true, valid: true }),
  },
  {
    option: 'cardBrand',
    type: 'cardVerificationCode',
    options: `{ cardBrand: 'american-express' }`,
    shows: typed('1234', { complete: true }),
  },
  {
    option: 'copyIconStyles',
    type: 'cardNumber',
    options: `{ enableCopy: true, copyIconStyles: { size: '11px', color: 'rgb(1, 2, 3)', successColor: 'green' } }`,
    shows: async (field) => {
      expect(await field.styleOf('button', 'color')).toBe('rgb(1, 2, 3)');
      expect(await field.styleOf('button', 'fontSize')).toBe('11px');
    },
  },
  {
    option: 'maxElapsedExpirationYear',
    type: 'cardExpirationDate',
    options: '{ maxElapsedExpirationYear: 90 }',
    shows: typed('1211', { complete: true, valid: true }),
  },
  {
    option: 'showSpacing',
    type: 'cardExpirationDate',
    options: `{ value: '12/30', showSpacing: true }`,
    shows: value('12 / 30'),
  },
  { option: 'value of a text', type: 'text', options: `{ value: 'Jane' }`, shows: value('Jane') },
  {
    option: 'value of a number',
    type: 'cardNumber',
    options: `{ value: '${number}' }`,
    shows: value('4242 4242 4242 4242'),
  },
  {
    option: 'value of a date',
    type: 'cardExpirationDate',
    options: `{ value: { month: 3, year: 2031 } }`,
    shows: value('03/31'),
  },
  {
    option: 'value of a date as a text',
    type: 'cardExpirationDate',
    options: `{ value: '03/31' }`,
    shows: value('03/31'),
  },
  { option: 'value of a code', type: 'cardVerificationCode', options: `{ value: '123' }`, shows: value('123') },
  {
    option: 'value of a card',
    type: 'card',
    options: `{ value: { number: '${number}', expiration_month: 3, expiration_year: 2031, cvc: '123' } }`,
    shows: inputs('value', '4242 4242 4242 4242', '03/31', '123'),
  },
  {
    option: 'mask',
    type: 'text',
    options: `{ mask: ['(', /\\d/, /\\d/, ')', '-', /[A-Z]/] }`,
    shows: async (field) => {
      await field.type('12');
      await expect.poll(() => field.do('metadata')).toMatchObject({ maskSatisfied: false, complete: false });
      await field.type('X');
      await expect.poll(() => field.do('metadata')).toMatchObject({ maskSatisfied: true, complete: true });
      expect(await field.input('value')).toBe('(12)-X');
    },
  },
  { option: 'validation', type: 'text', options: '{ validation: /^[a-c]+$/ }', shows: typed('abd', { valid: false }) },
  {
    option: 'maxLength',
    type: 'text',
    options: '{ maxLength: 3 }',
    shows: async (field) => {
      await field.type('abcdef');
      await expect.poll(() => field.input('value')).toBe('abc');
    },
  },
  { option: 'password', type: 'text', options: '{ password: true }', shows: inputs('type', 'password') },
  {
    option: 'text of a copyButton',
    type: 'copyButton',
    options: `{ text: 'Copy the number' }`,
    shows: async (field) => {
      expect(await (await field.frame()).getByRole('button').textContent()).toBe('Copy the number');
    },
  },
];

describe.each(webElements)('$name', (published) => {
  let page: ShopPage;
  beforeAll(async () => {
    page = await shop.visit(published, { scriptFrom: vault.elementsUrl });
    await page.open();
  });
  afterEach(tidyAfter(() => page));

  describe('options', () => {
    it.each(cases)('$option', async ({ type, options, shows }) => {
      await shows(await page.place(type, options), page);
    });

    it('iconPosition', async () => {
      const places = [];
      for (const side of ['left', 'right', 'none']) {
        const field = await page.place('cardNumber', `{ iconPosition: '${side}', value: '${number}' }`);
        const script = `(() => {
          const [icon, input] = ['.icon', 'input'].map((name) => document.querySelector(name).getBoundingClientRect());
          return icon.width === 0 ? 'none' : icon.left < input.left ? 'left' : 'right';
        })()`;
        places.push(await (await field.frame()).evaluate(script));
      }
      expect(places).toEqual(['left', 'right', 'none']);
    });

    it('enableCopy', async () => {
      const plain = await page.place('cardNumber');
      expect(await (await plain.frame()).locator('button').count()).toBe(0);
      const field = await page.place('cardNumber', `{ enableCopy: true, value: '${number}' }`);
      await (await field.frame()).locator('button').click();
      await field.saw('copy', { targetId: field.id });
      expect(await page.run('return navigator.clipboard.readText()')).toBe(number);
    });

    it.each(['binLookup: true', `coBadgedSupport: ['cartes-bancaires']`, `preSelectedNetworks: ['visa']`])(
      'does not know %s, and says so',
      async (option) => {
        const [name = ''] = option.split(':');
        const error = await page.errorOf(`fields.create('refused', 'cardNumber', { ${option} })`);
        expect(error.message).toMatch(new RegExp(`^${name} is not available[^.]*\\.$`));
      },
    );
  });
});

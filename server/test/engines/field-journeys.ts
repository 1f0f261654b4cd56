import { cardNumbers } from '../harness/card-numbers.ts';
import { empty, type FieldVisit, fillIn, inputIn, openFields, valuesIn } from './field-visit.ts';
import { type Journey, until } from './journey.ts';

const visa = '4242424242424242';
const amex = '378282246310005';
const oneOfEach = cardNumbers.filter(
  ({ brand }, index) => cardNumbers.findIndex((other) => other.brand === brand) === index,
);
const card = { number: visa, expiration_month: 12, expiration_year: 2031, cvc: '123' };

/** What people enter into the elements of a page. */
export const fieldJourneys: readonly Journey<FieldVisit>[] = [
  {
    name: 'types a number of every brand',
    run: async (visit) => {
      const { page } = visit;
      await openFields(visit);
      const seen = [];
      for (const { brand, number } of oneOfEach) {
        await empty(page, 'number');
        await page.type(inputIn('number'), number);
        await until(page, `elements.number.metadata.complete`);
        await until(page, `document.querySelector('.icon').dataset.brand === '${brand}'`, '#number');
        const [shown] = (await valuesIn(page, 'number')) as string[];
        seen.push([shown, await page.evaluate('elements.number.cardMetadata.cardBrand')]);
      }
      return seen;
    },
    found: oneOfEach.map(({ groups, brand }) => [groups, brand]),
  },
  {
    name: 'types into every element, and stores what was typed',
    run: async (visit) => {
      const { page, site } = visit;
      await openFields(visit);
      await page.type(inputIn('number'), visa);
      await page.type(inputIn('date'), '1231');
      await page.type(inputIn('code'), '123');
      await page.type(inputIn('text'), 'Zoë Berg');
      // The element moves on to the date and to the code by itself.
      await page.type(inputIn('card'), `${visa}1231123`);
      await until(page, `Object.values(elements).every(({ metadata }) => metadata.complete)`);
      const id = await page.evaluate(`bt.tokens.create({ type: 'token', data: {
        number: elements.number, month: elements.date.month(), year: elements.date.year(), code: elements.code,
        card: elements.card, text: elements.text,
      } }).then(({ id }) => id)`);
      const { body } = await site.vault.request('GET', `/tokens/${String(id)}`, { key: site.tenant.keys.reveal });
      return (body as { data: unknown }).data;
    },
    found: { number: visa, month: 12, year: 2031, code: '123', card, text: 'Zoë Berg' },
  },
  {
    name: 'inserts a number with separators in one piece, as pasting does',
    run: async (visit) => {
      const { page } = visit;
      await openFields(visit);
      await page.click(inputIn('number'));
      await page.evaluate(
        `(() => {
          document.querySelector('input').focus();
          return document.execCommand('insertText', false, ' 4242-4242.4242 4242');
        })()`,
        '#number',
      );
      return valuesIn(page, 'number');
    },
    found: ['4242 4242 4242 4242'],
  },
  {
    name: 'lets a password manager fill in the fields',
    run: async (visit) => {
      const { page } = visit;
      await openFields(visit);
      // The code arrives before the number does, and the date with four digits of a year.
      await fillIn(page, 'code', '1234');
      await fillIn(page, 'date', '12 / 2031');
      await fillIn(page, 'number', amex);
      await until(page, `['number', 'date', 'code'].every((id) => elements[id].metadata.complete)`);
      return [await valuesIn(page, 'number'), await valuesIn(page, 'date'), await valuesIn(page, 'code')];
    },
    found: [['3782 822463 10005'], ['12/31'], ['1234']],
  },
  {
    name: 'has inputs that browsers and virtual keyboards recognise',
    run: async (visit) => {
      await openFields(visit);
      return visit.page.evaluate(
        `[...document.querySelectorAll('input')].map((input) => [input.autocomplete, input.inputMode, input.name])`,
        '#card',
      );
    },
    found: [
      ['cc-number', 'numeric', 'cc-number'],
      ['cc-exp', 'numeric', 'cc-exp'],
      ['cc-csc', 'numeric', 'cc-csc'],
    ],
    differences: {
      firefox: {
        found: [
          ['cc-number', 'numeric', 'cc-number'],
          ['cc-exp', 'numeric', 'cc-exp'],
          ['', 'numeric', 'cc-csc'],
        ],
        reason: 'Firefox stores no codes of cards, so it does not know the name.',
      },
    },
  },
  {
    name: 'is refused a code that does not belong to the brand by field, controller and API',
    run: async (visit) => {
      const { page, site } = visit;
      await openFields(visit);
      const refusals = [];
      for (const [number, code] of [
        [visa, '1234'],
        [amex, '123'],
      ] as const) {
        await empty(page, 'number', 'code');
        await page.type(inputIn('number'), number);
        await page.type(inputIn('code'), code);
        await until(page, `elements.number.metadata.complete && elements.code.metadata.valid === false`);
        const field = await page.evaluate('elements.code.problems.map(({ reason }) => reason)');
        const controller = await page.evaluate(`bt.tokens.create({ type: 'card', data: {
          number: elements.number, cvc: elements.code,
        } }).then(() => 'stored', ({ name, details }) => [name, details.data.cvc.type])`);
        const body = { type: 'card', data: { ...card, number, cvc: code } };
        const { status } = await site.vault.request('POST', '/tokens', { key: site.tenant.keys.private, body });
        refusals.push({ field, controller, status });
      }
      return refusals;
    },
    found: [
      { field: ['brand'], controller: ['StrongroomValidationError', 'invalid'], status: 400 },
      { field: ['incomplete'], controller: ['StrongroomValidationError', 'incomplete'], status: 400 },
    ],
  },
  {
    name: 'is told why a number is not accepted',
    run: async (visit) => {
      const { page } = visit;
      const noteIn = `(() => {
        const note = document.getElementById(document.querySelector('input').getAttribute('aria-describedby'));
        return [note.textContent, note.getAttribute('aria-live'), note.lang];
      })()`;
      const told = [];
      for (const path of ['/fields', '/felder']) {
        await openFields(visit, '{}', path);
        await page.type(inputIn('number'), '4242424242424241');
        await page.evaluate('elements.number.validate()');
        await until(page, `elements.number.problems[0]?.reason === 'checksum'`);
        await until(page, `${noteIn}[0] !== ''`, '#number');
        told.push(await page.evaluate(noteIn, '#number'));
      }
      return told;
    },
    found: [
      ['Check the digits of the card number.', 'polite', 'en'],
      ['Die Kartennummer stimmt nicht. Prüfen Sie die Ziffern.', 'polite', 'de'],
    ],
  },
  {
    name: 'sees the value of one element in another',
    run: async (visit) => {
      const { page } = visit;
      await openFields(visit);
      await page.type(inputIn('number'), visa);
      await page.evaluate(`(async () => {
        elements.copy = bt.createElement('cardNumber', { targetId: 'copy', readOnly: true });
        await elements.copy.mount('#copy');
        elements.copy.setValueRef(elements.number);
      })()`);
      await until(page, `document.querySelector('input').value !== ''`, '#copy');
      return valuesIn(page, 'copy');
    },
    found: ['4242 4242 4242 4242'],
  },
  {
    name: 'leaves nothing behind after elements were mounted and unmounted',
    run: async (visit) => {
      const { page } = visit;
      await openFields(visit);
      await page.evaluate(`(async () => {
        for (let round = 0; round < 5; round += 1) {
          for (const element of Object.values(elements)) element.unmount();
          await Promise.all(Object.entries(elements).map(([id, element]) => element.mount('#' + id)));
        }
        for (const element of Object.values(elements)) element.unmount();
      })()`);
      return page.evaluate(`document.querySelectorAll('iframe').length`);
    },
    found: 1,
  },
  {
    name: 'is told that a page of this origin gets no fields',
    run: async ({ page, site }) => {
      await page.goto(`${site.foreignOrigin}/fields`);
      await until(page, `typeof strongroom === 'function'`);
      const told = await page.evaluate(`strongroom(key).then(() => 'opened', ({ message }) => message)`);
      return String(told).replace(site.foreignOrigin, 'this page');
    },
    found:
      'The origin of this page is not among the allowed_origins of the application. The origin of this page is this page.',
  },
];

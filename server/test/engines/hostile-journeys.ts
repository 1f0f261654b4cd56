import { makeCardNumber } from '../harness/card-number.ts';
import { findHidden } from '../harness/watched-page.ts';
import { type FieldVisit, inputIn, openFields, valuesIn } from './field-visit.ts';
import type { Journey } from './journey.ts';

/** The short form runs with every build. `npm run test:elements` sets the other value. */
const messages = Number(process.env['ELEMENTS_MESSAGES'] ?? 500);
const batch = 250;

/** Records every message that the page receives. */
const listen = `(() => {
  globalThis.heard = [];
  addEventListener('message', ({ data }) => {
    try { heard.push(JSON.stringify(data)); } catch { heard.push(String(data)); }
  }, true);
})()`;

const instance = `(() => {
  const { hash, origin } = new URL(document.querySelector('iframe[src*="/controller"]').src);
  return { nonce: hash.slice(1, 33), key, origin };
})()`;

/** What a hostile page tries. The person has typed before it begins. */
export const hostileJourneys: readonly Journey<FieldVisit>[] = [
  {
    name: `${messages} fuzzed messages tell the page nothing, and fields work as before`,
    run: async (visit) => {
      const { page, site } = visit;
      await openFields(visit);
      await page.evaluate(listen);
      const number = makeCardNumber();
      await page.type(inputIn('number'), number);
      await page.type(inputIn('text'), 'typed by hand');
      const given = JSON.stringify(await page.evaluate(instance));
      let sent = 0;
      for (let seed = 1; sent < messages; seed += 1) {
        const targets = 'Array.from({ length: window.length }, (_, at) => window[at])';
        sent += Number(
          await page.evaluate(`fuzz({ ...${given}, seed: ${seed}, count: ${batch}, targets: ${targets} })`),
        );
        // A response means that everything before it has been read.
        await page.evaluate(`Promise.all([
          elements.number.update({}), elements.text.update({}), bt.tokens.retrieve('none').catch(() => 0),
        ]).then(() => 0)`);
      }
      const id = await page.evaluate(
        `bt.tokens.create({ type: 'token', data: { number: elements.number, text: elements.text } }).then(({ id }) => id)`,
      );
      const { body } = await site.vault.request('GET', `/tokens/${String(id)}`, { key: site.tenant.keys.reveal });
      const heard = String(await page.evaluate('heard.join()'));
      return {
        isStored:
          JSON.stringify((body as { data: unknown }).data) === JSON.stringify({ number, text: 'typed by hand' }),
        hidden: findHidden(heard, number),
        text: heard.includes('typed by hand'),
      };
    },
    found: { isStored: true, hidden: [], text: false },
  },
  {
    name: 'texts of the page are text, whatever they contain',
    run: async (visit) => {
      const { page } = visit;
      const markup = '<img src=x onerror=alert(1)><b id=problem-number>{{ data }}</b>';
      await openFields(visit, `{ texts: { empty: ${JSON.stringify(markup)} } }`);
      await page.evaluate('elements.number.validate()');
      const frame = `[document.querySelector('[id=problem-number]').textContent, document.querySelectorAll('img, b').length]`;
      await page.evaluate(`elements.number.update({})`);
      return [await page.evaluate(frame, '#number'), await page.evaluate('elements.number.problems[0].message')];
    },
    found: [
      ['<img src=x onerror=alert(1)><b id=problem-number>{{ data }}</b>', 0],
      '<img src=x onerror=alert(1)><b id=problem-number>{{ data }}</b>',
    ],
  },
  {
    name: 'a page that covers its fields with inputs of its own gets nothing of what is filled in beside them',
    run: async (visit) => {
      const { page } = visit;
      await openFields(visit);
      await page.evaluate(`(() => {
        for (const name of ['cc-number', 'cc-exp', 'cc-csc']) {
          const input = document.createElement('input');
          input.autocomplete = input.name = name;
          input.style.opacity = 0;
          document.body.append(input);
        }
      })()`);
      await page.type(inputIn('number'), '4242424242424242');
      const own = `[...document.querySelectorAll('body > input')].map(({ value }) => value)`;
      return [await page.evaluate(own), await valuesIn(page, 'number')];
    },
    found: [['', '', ''], ['4242 4242 4242 4242']],
  },
];

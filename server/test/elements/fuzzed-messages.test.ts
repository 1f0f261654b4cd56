import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCardNumber } from '../harness/card-number.ts';
import { ElementsShop } from '../harness/elements-shop.ts';
import { hostileScript } from '../harness/hostile-script.ts';
import { messageFuzz } from '../harness/message-fuzz.ts';
import { findHidden, watch } from '../harness/watched-page.ts';

/** The short form runs with every build. `npm run test:elements` sets the other value. */
const messages = Number(process.env['ELEMENTS_MESSAGES'] ?? 1_000);
const seed = Number(process.env['ELEMENTS_SEED'] ?? randomInt(2 ** 31));
const batch = 250;

let shop: ElementsShop;
beforeAll(async () => {
  shop = await ElementsShop.start();
});
afterAll(() => shop.stop());

const parts = `({
  nonce: new URL(document.querySelector('iframe[src*="/controller"]').src).hash.slice(1, 33),
  key, origin: new URL(document.querySelector('iframe[src*="/controller"]').src).origin,
})`;

describe(`fields and controller after ${messages} fuzzed messages (seed ${seed})`, () => {
  it(
    'have told nothing, and work as before',
    async () => {
      shop.serve(
        '/foreign',
        `<!doctype html><title>Foreign</title><script>${messageFuzz}
        globalThis.heard = [];
        addEventListener('message', ({ data }) => { try { heard.push(JSON.stringify(data)); } catch { heard.push(String(data)); } });
      </script>`,
      );
      const number = makeCardNumber();
      const page = await watch(shop);
      const uncaught: string[] = [];
      page.page.on('pageerror', (error) => uncaught.push(String(error.stack)));
      await page.attack(hostileScript + messageFuzz);
      await page.attack('start()');
      await page.attack(`mount('text', {}, document.querySelector('#text'))
        .then((text) => { globalThis.text = text; return mount('text'); }).then(() => 0)`);
      await page.type('number', number);
      await page.type('text', 'typed by hand');
      await page.attack(`new Promise((resolve) => {
        const foreign = document.createElement('iframe');
        foreign.id = 'foreign';
        foreign.onload = () => resolve();
        foreign.src = ${JSON.stringify(`${shop.foreignOrigin}/foreign`)};
        document.body.append(foreign);
      })`);
      const foreign = page.page.frames().find((frame) => frame.url().endsWith('/foreign'));
      const instance = await page.page.evaluate<object>(parts);
      let sent = 0;
      for (let round = 0; sent < messages; round += 1) {
        const given = JSON.stringify({ ...instance, seed: seed + round, count: batch });
        const targets = `Array.from({ length: WINDOW.length }, (_, at) => WINDOW[at])`;
        const fuzz = (window: string) => `fuzz({ ...${given}, targets: ${targets.replaceAll('WINDOW', window)} })`;
        sent += await page.page.evaluate<number>(fuzz('window'));
        sent += (await foreign?.evaluate<number>(fuzz('parent'))) ?? 0;
        // A reply means that everything before it has been read.
        await page.page.evaluate(
          `Promise.all([number.update({}), text.update({}), settle(bt.tokens.retrieve('none'))]).then(() => 0)`,
        );
      }
      expect(sent).toBeGreaterThanOrEqual(messages);
      expect(uncaught).toEqual([]);
      const tokens = await page.attack<Record<'number' | 'text', { id: string }>>(`(async () => ({
        number: await bt.tokens.create({ type: 'card_number', data: number }),
        text: await bt.tokens.create({ type: 'token', data: text }),
      }))()`);
      const key = shop.tenant.keys.reveal;
      const stored = async ({ id }: { id: string }) => (await shop.vault.request('GET', `/tokens/${id}`, { key })).body;
      expect(await stored(tokens.number)).toMatchObject({ data: number });
      expect(await stored(tokens.text)).toMatchObject({ data: 'typed by hand' });
      expect(findHidden(await page.seen(), number)).toEqual([]);
      expect(findHidden(shop.vault.logLines.join('\n'), number)).toEqual([]);
      const heard = (await foreign?.evaluate<string>('heard.join()')) ?? '';
      expect(findHidden(heard, number)).toEqual([]);
      expect(heard).not.toMatch(/cardBin|typed by hand/);
    },
    60_000 + messages * 30,
  );
});

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCardNumber } from '../harness/card-number.ts';
import { ElementsShop } from '../harness/elements-shop.ts';
import { hostileScript } from '../harness/hostile-script.ts';
import { watch } from '../harness/watched-page.ts';

let shop: ElementsShop;
let page: Page;
beforeAll(async () => {
  shop = await ElementsShop.start();
  ({ page } = await shop.open());
});
afterAll(() => shop.stop());

const nonce = 'ab'.repeat(16);
const keyId = () => shop.key.split('_')[3]?.slice(0, 22) ?? '';
const fieldUrl = (origin = shop.origin) =>
  `${shop.elementsUrl}/elements/field?key=${keyId()}#${nonce}.1.${encodeURIComponent(origin)}`;

/** Returns a page with a frame in it, which records when the frame has loaded and every message from it. */
function pageAround(frame: string): string {
  return `<!doctype html><title>Around</title><script>
    globalThis.heard = [];
    addEventListener('message', ({ data }) => heard.push(JSON.stringify(data)));
  </script>${frame}<script>
    globalThis.loaded = new Promise((resolve) => {
      document.querySelector('iframe').addEventListener('load', () => setTimeout(resolve, 0));
    });
  </script>`;
}

async function openAround(frame: string, origin = shop.origin): Promise<void> {
  shop.serve('/around', pageAround(frame));
  await page.goto(`${origin}/around`);
  await page.evaluate('loaded');
}

const iframe = (src: string, more = '') => `<iframe src="${src}" ${more}></iframe>`;
const nonceOf = `new URL(document.querySelector('iframe[src*="/controller"]').src).hash.slice(1, 33)`;
const hello = expect.stringContaining('"kind":"hello"');

describe('a field', () => {
  it('runs in a page of an allowed origin', async () => {
    await openAround(iframe(fieldUrl()));
    await expect.poll(() => page.evaluate('heard')).toEqual([hello]);
  });

  it.each([
    ['a foreign origin', () => iframe(fieldUrl(shop.foreignOrigin)), () => shop.foreignOrigin],
    ['a foreign origin that claims to be the shop', () => iframe(fieldUrl()), () => shop.foreignOrigin],
    ['a sandboxed frame', () => iframe(fieldUrl(), 'sandbox="allow-scripts"'), () => shop.origin],
    ['a sandboxed page', () => iframe('/inner', 'sandbox="allow-scripts"'), () => shop.origin],
    ['the shop inside a foreign page', () => iframe(`${shop.origin}/inner`), () => shop.foreignOrigin],
    ['a foreign page inside the shop', () => iframe(`${shop.foreignOrigin}/inner`), () => shop.origin],
    [
      'a document of no origin',
      () => iframe(`data:text/html,${encodeURIComponent(iframe(fieldUrl()))}`),
      () => shop.origin,
    ],
  ])('says nothing and takes nothing in %s', async (_name, frame, origin) => {
    shop.serve(
      '/inner',
      `${pageAround(iframe(fieldUrl()))}<script>
      addEventListener('message', ({ data }) => data.element && parent.postMessage({ relayed: data }, '*'));
    </script>`,
    );
    await openAround(frame(), origin());
    const setup = { kind: 'setup', strongroom: nonce, setup: { type: 'text', targetId: 'x' } };
    for (const one of page.frames())
      await one.evaluate(
        `for (let at = 0; at < frames.length; at += 1) frames[at].postMessage(${JSON.stringify(setup)}, '*')`,
      );
    const inputs = await Promise.all(page.frames().map((one) => one.locator('input').count()));
    expect([await page.evaluate('heard'), Math.max(...inputs)]).toEqual([[], 0]);
  });

  it('runs neither as a page of its own nor in a popup', async () => {
    const context = page.context();
    await page.goto(shop.origin);
    const popup = context.waitForEvent('page');
    await page.evaluate(`globalThis.popup = open(${JSON.stringify(fieldUrl())}); globalThis.heard = [];
      addEventListener('message', ({ data }) => heard.push(data))`);
    const opened = await popup;
    await expect.poll(() => opened.textContent('body')).toContain('works only inside a page');
    const setup = { kind: 'setup', strongroom: nonce, setup: { type: 'text', targetId: 'x' } };
    await page.evaluate(`popup.postMessage(${JSON.stringify(setup)}, '*')`);
    expect([await opened.locator('input').count(), await page.evaluate('heard')]).toEqual([0, []]);
    await opened.close();
  });

  it('is refused to a page of the origin of the fields', async () => {
    await page.goto(`${shop.elementsUrl}/elements/manifest.json`);
    await page.addScriptTag({ url: `${shop.elementsUrl}/elements/client.js` });
    await expect(page.evaluate(`strongroom(${JSON.stringify(shop.key)})`)).rejects.toThrow('an origin of their own');
  });

  it('explains in the console why a page of another origin gets no fields', async () => {
    const { page: foreign, complaints, context } = await shop.open({ origin: shop.foreignOrigin });
    const why = `not among the allowed_origins of the application. The origin of this page is ${shop.foreignOrigin}.`;
    await expect(foreign.evaluate('strongroom(key)')).rejects.toThrow(why);
    expect(complaints).toContainEqual(expect.stringContaining(why));
    await context.close();
  });

  it('is not heard in another tab of the shop', async () => {
    const one = await watch(shop);
    const second = await one.context.newPage();
    await second.goto(shop.origin);
    await second.evaluate(`globalThis.key = ${JSON.stringify(shop.key)}; globalThis.heard = [];
      addEventListener('message', ({ data }) => heard.push(data)); ${hostileScript}`);
    await second.evaluate('start()');
    await one.attack(hostileScript);
    await one.attack('start()');
    const number = makeCardNumber();
    await one.type('number', number);
    await expect.poll(() => one.attack('number.metadata.complete')).toBe(true);
    // The messages are compared by content, not by count, because a separate field may still report its height.
    const own = await second.evaluate<string>(nonceOf);
    const heard = await second.evaluate<Record<string, unknown>[]>('heard');
    expect(own).not.toBe(await one.attack(nonceOf));
    expect(new Set(heard.map(({ strongroom }) => strongroom))).toEqual(new Set([own]));
    expect(heard.map(({ kind }) => kind)).not.toContain('change');
    expect(JSON.stringify(heard)).not.toMatch(/cardBin|cardLast4/);
    expect(await second.evaluate('number.metadata.empty')).toBe(true);
    await one.context.close();
  });
});

describe('fields that were mounted and unmounted fifty times', () => {
  it('leave nothing behind', async () => {
    const { attack, type, context } = await watch(shop);
    await attack(`
      globalThis.listeners = 0;
      const [add, remove] = [globalThis.addEventListener, globalThis.removeEventListener];
      globalThis.addEventListener = function (...given) { listeners += 1; return add.apply(this, given); };
      globalThis.removeEventListener = function (...given) { listeners -= 1; return remove.apply(this, given); };
      ${hostileScript}`);
    await attack('start()');
    const before = await attack('[listeners, frames.length, document.querySelectorAll("iframe").length]');
    const outcomes = await attack(`(async () => {
      const once = async () => {
        const element = await mount('text', { value: 'typed' });
        element.unmount();
        return settle(bt.tokens.create({ type: 'token', data: element }));
      };
      const outcomes = [];
      for (let round = 0; round < 5; round += 1) outcomes.push(...(await Promise.all(Array.from({ length: 10 }, once))));
      return [...new Set(outcomes.map(({ error }) => error))];
    })()`);
    expect(outcomes).toEqual(['Error: An element in the payload is not mounted.']);
    expect(await attack('[listeners, frames.length, document.querySelectorAll("iframe").length]')).toEqual(before);
    await type('number', makeCardNumber());
    expect(await attack(`bt.tokens.create({ type: 'card_number', data: number })`)).toHaveProperty('id');
    await context.close();
  });
});

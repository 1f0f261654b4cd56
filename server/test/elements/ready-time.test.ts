import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ElementsShop, type ShopPage } from '../harness/elements-shop.ts';
import { slownessOfMachine } from '../harness/machine-speed.ts';

const readyWithinMs = 500;
/** A busy machine gets more rounds. The fastest round shows how long the fields themselves take. */
const rounds = { min: 5, max: 20 };

let shop: ElementsShop;
let opened: ShopPage;
beforeAll(async () => {
  shop = await ElementsShop.start();
  opened = await shop.open();
});
afterAll(() => shop.stop());

const mountThree = `(async () => {
  const began = performance.now();
  globalThis.bt = await strongroom(key);
  const controller = performance.now() - began;
  globalThis.elements = {
    number: bt.createElement('cardNumber', { targetId: 'number' }),
    date: bt.createElement('cardExpirationDate', { targetId: 'date' }),
    code: bt.createElement('cardVerificationCode', { targetId: 'code' }),
  };
  await Promise.all(Object.entries(elements).map(([id, element]) => element.mount('#' + id)));
  return { controller: Math.round(controller), all: Math.round(performance.now() - began) };
})()`;

async function startAgain(): Promise<{ readonly controller: number; readonly all: number }> {
  const { page } = opened;
  await page.reload();
  await page.evaluate(`globalThis.key = ${JSON.stringify(shop.key)}`);
  return page.evaluate(mountThree);
}

describe('three fields and their controller', () => {
  it('are ready within half a second in a browser that has seen them before', async () => {
    await startAgain();
    const taken: { readonly controller: number; readonly all: number }[] = [];
    const best = () => Math.min(...taken.map(({ all }) => all));
    while (taken.length < rounds.min || (best() > readyWithinMs && taken.length < rounds.max))
      taken.push(await startAgain());
    process.stdout.write(
      `ready after ${taken.map(({ all, controller }) => `${all} (controller ${controller})`).join(', ')} ms\n`,
    );
    expect(best()).toBeLessThanOrEqual(readyWithinMs * slownessOfMachine());
  });

  it('load a page, a script and a style each, and only the marks of brands while somebody types', async () => {
    const { page, frameOf } = opened;
    const requested: string[] = [];
    page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin !== shop.origin) requested.push(pathname.replace(/^\/elements\/\d[^/]*\//, '…/'));
    });
    await startAgain();
    expect([...new Set(requested)].toSorted()).toEqual([
      '/elements/client.js',
      '/elements/controller',
      '/elements/field',
      '…/controller.js',
      '…/field.css',
      '…/field.js',
    ]);
    requested.length = 0;
    await (await frameOf('number')).locator('input').pressSequentially('4242424242424242');
    await (await frameOf('date')).locator('input').pressSequentially('12/2030');
    await (await frameOf('code')).locator('input').pressSequentially('123');
    await expect
      .poll(() => page.evaluate('Object.values(elements).every(({ metadata }) => metadata.complete)'))
      .toBe(true);
    expect(requested).toEqual(['…/marks.js']);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ElementsShop } from '../harness/elements-shop.ts';

const number = '4242424242424242';

let shop: ElementsShop;
beforeAll(async () => {
  shop = await ElementsShop.start();
});
afterAll(() => shop.stop());

const mountThree = `(async () => {
  globalThis.bt = await strongroom(key);
  globalThis.events = [];
  globalThis.elements = {
    number: bt.createElement('cardNumber', { targetId: 'number' }),
    date: bt.createElement('cardExpirationDate', { targetId: 'date' }),
    code: bt.createElement('cardVerificationCode', { targetId: 'code' }),
  };
  for (const [id, element] of Object.entries(elements)) {
    element.on('change', (event) => events.push({ id, ...event }));
    await element.mount('#' + id);
  }
})()`;

describe('a page with three fields', () => {
  it('gets a token and a masked number, and never the number', async () => {
    const { page, complaints, frameOf } = await shop.open();
    await page.evaluate(mountThree);
    await (await frameOf('number')).getByRole('textbox').pressSequentially(number);
    await (await frameOf('date')).getByRole('textbox').pressSequentially('1230');
    await (await frameOf('code')).getByRole('textbox').pressSequentially('123');
    const token = await page.evaluate<Record<string, unknown>>(`bt.tokens.create({
      type: 'card',
      data: {
        number: elements.number,
        expiration_month: elements.date.month(),
        expiration_year: elements.date.year(),
        cvc: elements.code,
      },
    })`);
    expect(token).toMatchObject({ type: 'card', data: { number: 'XXXXXXXXXXXX4242' }, card: { brand: 'visa' } });
    const stored = await shop.vault.request('GET', `/tokens/${String(token['id'])}`, { key: shop.tenant.keys.reveal });
    expect(stored.body).toMatchObject({ data: { number, expiration_month: 12, expiration_year: 2030 } });
    const seen = JSON.stringify([token, await page.evaluate('events'), await page.content()]);
    expect(seen).not.toContain(number);
    expect(complaints).toEqual([]);
    await shop.chromium.photograph(page, 'three-fields');
  });
});

describe('a field that is updated while it starts', () => {
  it('has the newest options', async () => {
    const { page, frameOf } = await shop.open();
    await page.evaluate(`(async () => {
      const bt = await strongroom(key);
      const element = bt.createElement('cardNumber', { targetId: 'number', placeholder: 'before' });
      const told = new Promise((resolve) => addEventListener('message', (event) => event.data.kind === 'size' && resolve()));
      const mounting = element.mount('#number');
      await told;
      await element.update({ placeholder: 'after' });
      await mounting;
    })()`);
    expect(await (await frameOf('number')).getByRole('textbox').getAttribute('placeholder')).toBe('after');
  });
});

describe('a page with the key of a session that it has created without fields', () => {
  const createSession = async () => {
    const created = await shop.vault.request('POST', '/sessions', { key: shop.key });
    const { session_key: sessionKey, nonce } = created.body as { session_key: string; nonce: string };
    const rule = { description: 'Show', priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] };
    const more = { ...rule, transform: 'mask', priority: 2, permissions: ['token:create'] };
    const authorized = await shop.vault.request('POST', '/sessions/authorize', {
      key: shop.tenant.keys.reveal,
      body: { nonce, rules: [rule, more] },
    });
    expect(authorized.status).toBe(200);
    return sessionKey;
  };

  it('shows a card with it, but sends nothing that was typed', async () => {
    const data = { number, expiration_month: 12, expiration_year: 2030 };
    const stored = await shop.vault.request('POST', '/tokens', {
      key: shop.tenant.keys.private,
      body: { type: 'card', data },
    });
    const { id } = stored.body as { id: string };
    const { page, frameOf } = await shop.open();
    await page.evaluate(mountThree);
    const sessionKey = await createSession();
    await page.evaluate(`(async () => {
      const token = await bt.tokens.retrieve('${id}', { apiKey: '${sessionKey}' });
      elements.number.setValue(token.data.number);
    })()`);
    await expect
      .poll(async () => (await frameOf('number')).getByRole('textbox').inputValue())
      .toBe('4242 4242 4242 4242');
    const refused = page.evaluate(
      `bt.tokens.create({ type: 'card_number', data: elements.number }, { apiKey: '${sessionKey}' })`,
    );
    await expect(refused).rejects.toThrow('apiKey must be what sessions.create returned');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtElements } from '../../src/features/elements/elements-files.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { makeCardNumber } from '../harness/card-number.ts';
import { ElementsShop } from '../harness/elements-shop.ts';
import { hostileScript } from '../harness/hostile-script.ts';
import { createApplication } from '../harness/test-application.ts';
import { watch } from '../harness/watched-page.ts';

/*
 * Previously, a script on the page could read the contents of card fields. The vault names a search index that yields
 * nothing, so ten indexes over one digit revealed which digit it is.
 */
const number = makeCardNumber();
const cvc = '937';
let shop: ElementsShop;
let cardId: string;
beforeAll(async () => {
  const port = await findFreePort();
  const config = { url: `http://127.0.0.1:${port}`, port };
  shop = await ElementsShop.start({ elements: { config, folder: builtElements } });
  const body = { type: 'card', data: { number, expiration_month: 12, expiration_year: 2090, cvc } };
  const stored = await shop.vault.request('POST', '/tokens', { key: shop.tenant.keys.private, body });
  cardId = (stored.body as { id: string }).id;
});
afterAll(() => shop.stop());

/**
 * Defines `probe(place, token)`, which returns the digit at a place of `path`, or `?` if the vault does not reveal it.
 */
const probing = (path: string) => `
  globalThis.probe = async (place, token) => {
    const search_indexes = [...'0123456789'].map((digit) => "{{ ${path} | slice: " + place + ", 1 | remove: '" + digit + "' }}");
    try { return (await bt.tokens.create({ ...token, search_indexes }), '?'); }
    catch (error) { return /search_indexes\\.(\\d)/.exec(JSON.stringify(error.data ?? error) + error.message)?.[1] ?? '?'; }
  };
  globalThis.probeAll = async (length, token) => {
    let digits = '';
    for (let place = 0; place < length; place += 1) digits += await probe(place, token);
    return digits;
  };`;

describe('a script on a page with card fields', () => {
  it('reads no digit of a typed number by search indexes that fail', async () => {
    const page = await watch(shop);
    await page.attack(hostileScript + probing('data.number'));
    await page.attack('start()');
    await page.type('number', number);
    const token = "{ type: 'card', data: { number, expiration_month: 12, expiration_year: 2090 } }";
    expect(await page.attack<string>(`probeAll(16, ${token})`)).toBe('?'.repeat(16));
    expect(await page.seen()).not.toContain(number);
  });

  it('reads no digit of a stored card that is shown in a field', async () => {
    const { page } = await shop.open();
    await page.evaluate(probing('data'));
    const nonce = await page.evaluate<string>(`(async () => {
      globalThis.bt = await strongroom(key);
      globalThis.field = bt.createElement('text', { targetId: 'text' });
      await field.mount('#text');
      globalThis.session = await bt.sessions.create();
      return session.nonce;
    })()`);
    const conditions = [{ attribute: 'id', operator: 'equals', value: cardId }];
    const rules = [{ priority: 1, conditions, transform: 'reveal', permissions: ['token:read'] }];
    const body = { nonce, rules, origin: 'elements' };
    const granted = await shop.vault.request('POST', '/sessions/authorize', { key: shop.tenant.keys.reveal, body });
    expect(granted.status).toBe(200);
    const read = await page.evaluate<string[]>(`(async () => {
      const { data } = await bt.tokens.retrieve('${cardId}', { apiKey: session.sessionKey });
      const found = [];
      for (const [reference, length] of [[data.number, 16], [data.cvc, 3]]) {
        field.setValue(reference);
        await new Promise((resolve) => setTimeout(resolve, 500));
        found.push(await probeAll(length, { type: 'token', data: field }));
      }
      return found;
    })()`);
    expect(read).toEqual(['?'.repeat(16), '???']);
  });

  it('reads no expiry date by writing digits in front of it', async () => {
    const page = await watch(shop);
    await page.attack(hostileScript);
    await page.attack(`(async () => {
      await start();
      globalThis.date = await mount('cardExpirationDate', {}, document.querySelector('#date'));
    })()`);
    await page.type('date', '1139');
    const seen = await page.attack<object[]>(`(async () => {
      const tokens = [];
      for (let digit = 0; digit < 10; digit += 1)
        tokens.push(await settle(bt.tokens.create({ type: 'card_number', data: date.format('42424242424' + digit + 'MMYY') })));
      tokens.push(await settle(bt.tokens.create({ type: 'us_bank_account_number', data: date.format('YYYYMM') })));
      return tokens;
    })()`);
    expect(JSON.stringify(seen)).not.toMatch(/1139|3911/);
  });
});

/** Calls the API like a frame that performs no checks of its own. */
const ask = (method: string, path: string, body: object, key = shop.key) =>
  shop.vault.request(method, `/api${path}`, {
    key,
    body,
    url: shop.elementsUrl,
    ...(method === 'PATCH' ? { headers: { 'content-type': 'application/merge-patch+json' } } : {}),
  });

describe('the origin of the fields', () => {
  const harmful = [
    ['search_indexes.1', { search_indexes: ['{{ data.number }}', '{{ data.number | slice: 8, 1 }}'] }],
    ['search_indexes.0', { search_indexes: ["{{ data.number | remove: '4' }}"] }],
    ['search_indexes.0', { search_indexes: ['{{ data.number }}{{ data.name }}'] }],
    ['search_indexes.0', { search_indexes: ['constant'] }],
    ['fingerprint_expression', { fingerprint_expression: '{{ data.number | slice: 8, 1 }}' }],
    ['fingerprint_expression', { fingerprint_expression: '{{ data.number }}{{ metadata.guess }}' }],
    ['mask', { mask: { shown: ['{{ data.number }}'] } }],
    ['mask', { mask: '{{ data.number | reveal_last: 5 }}' }],
    ['mask', { mask: '{{ data.name | reveal_last: 4 }}' }],
    ['mask', { mask: "{{ data.number | slice: 8, 1 | replace: '4', 'x' | to_number }}" }],
  ] as const;
  const data = { number, name: 'Ada' };

  it.each(harmful)('refuses %s to create %j', async (field, views) => {
    const { status, body } = await ask('POST', '/tokens', { type: 'card', data, ...views });
    expect([status, Object.keys((body as { errors: object }).errors)]).toEqual([400, [field]]);
  });

  it.each(harmful)('refuses %s to tokenize %j', async (field, views) => {
    const { status, body } = await ask('POST', '/tokenize', { cards: [{ type: 'card', data, ...views }] });
    expect([status, Object.keys((body as { errors: object }).errors)]).toEqual([400, [`cards.0.${field}`]]);
  });

  it.each(harmful)('refuses %s to update %j, before it looks for the token', async (field, views) => {
    const { key } = await createApplication(shop.vault, shop.tenant, { type: 'public', permissions: ['token:update'] });
    const { status, body } = await ask('PATCH', `/tokens/${crypto.randomUUID()}`, { data, ...views }, key);
    expect([status, Object.keys((body as { errors: object }).errors)]).toEqual([400, [field]]);
  });

  it('refuses an id that is an expression', async () => {
    const id = '{{ data.number | alias_card }}';
    for (const [path, field, body] of [
      ['/tokens', 'id', { id, type: 'card', data }],
      ['/tokenize', '0.id', [{ id, type: 'card', data }]],
    ] as const) {
      const answer = await ask('POST', path, body);
      expect([answer.status, Object.keys((answer.body as { errors: object }).errors)]).toEqual([400, [field]]);
    }
  });

  it('accepts views of whole members, and masks that hide all but the end', async () => {
    const views = {
      mask: { number: '{{ data.number | reveal_last: 4 }}', note: 'hidden' },
      search_indexes: ['{{ data.number }}', '{{data.name}}'],
      fingerprint_expression: '{{ data.number }}-{{ data.name }}',
    };
    expect((await ask('POST', '/tokens', { type: 'card', data, ...views })).status).toBe(201);
    expect((await ask('POST', '/tokenize', [{ type: 'card', data, ...views }])).status).toBe(200);
  });
});

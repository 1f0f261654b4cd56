import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCardNumber } from '../harness/card-number.ts';
import { ElementsShop } from '../harness/elements-shop.ts';
import { hostileScript } from '../harness/hostile-script.ts';
import { createApplication } from '../harness/test-application.ts';
import { findHidden, watch, type WatchedPage } from '../harness/watched-page.ts';

let shop: ElementsShop;
beforeAll(async () => {
  shop = await ElementsShop.start();
});
afterAll(() => shop.stop());

/** Opens a page that runs a hostile script, and types a number into its field. */
async function openWithNumber(number: string): Promise<WatchedPage> {
  const page = await watch(shop);
  await page.attack(hostileScript);
  await page.attack('start()');
  await page.type('number', number);
  return page;
}

async function expectHidden(page: WatchedPage, ...numbers: readonly string[]): Promise<void> {
  const seen = await page.seen();
  for (const number of numbers) {
    expect(findHidden(seen, number)).toEqual([]);
    expect(findHidden(shop.vault.logLines.join('\n'), number)).toEqual([]);
  }
  await page.context.close();
}

const read = async (id: unknown) =>
  (await shop.vault.request('GET', `/tokens/${String(id)}`, { key: shop.tenant.keys.reveal })).body as {
    data: unknown;
  };

describe('a hostile page', () => {
  it('sees BIN and last four of what is typed, and nothing in between', async () => {
    const number = makeCardNumber();
    const page = await openWithNumber(number);
    await page.attack(
      `settle(bt.tokens.create({ type: 'card', data: { number, expiration_month: 12, expiration_year: 2090 } }))`,
    );
    await page.attack(`settle(bt.tokenize({ a: number, b: [number], c: { type: 'card_number', data: number } }))`);
    for (const type of ['card', 'bank', 'social_security_number', 'no_such_type', 5])
      await page.attack(`settle(bt.tokens.create({ type: ${JSON.stringify(type)}, data: number }))`);
    await page.attack(`settle(bt.tokens.create({ type: 'token', data: number, containers: ['x'.repeat(999)] }))`);
    const seen = await page.seen();
    expect([seen.includes(number.slice(0, 8)), seen.includes(number.slice(-4))]).toEqual([true, true]);
    await expectHidden(page, number);
  });

  it('gets no part of a value by passing it through fields with rules of its own', async () => {
    const number = makeCardNumber();
    const page = await openWithNumber(number);
    const cut = await page.attack<{ value?: { id: string } }[]>(`(async () => {
      const digit = /\\d/;
      const rules = [
        { transform: [/\\d{4}$/, ''] }, { transform: [/^\\d{8}/, ''] }, { maxLength: 12 }, { mask: Array(12).fill(digit) },
        { mask: [/[5-9]/, /[0-4]/] }, { validation: /^\\d{9}$/ },
      ];
      const tokens = [];
      for (const rule of rules) {
        const element = await link(number, 'text', rule);
        tokens.push(await settle(bt.tokens.create({ type: 'token', data: element })));
      }
      const types = [{ type: 'x', niceType: 'X', patterns: [4], lengths: [12], gaps: [4], code: { name: 'c', size: 3 } }];
      const element = await link(number, 'cardNumber', { cardTypes: types });
      tokens.push(await settle(bt.tokens.create({ type: 'token', data: element })));
      return tokens;
    })()`);
    expect(cut).toHaveLength(7);
    for (const { value } of cut) expect(await read(value?.id)).toMatchObject({ data: number });
    await expectHidden(page, number);
  });

  it('gets no yes and no about a value that it passes on', async () => {
    const number = makeCardNumber();
    const page = await openWithNumber(number);
    const outcomes = await page.attack<unknown[]>(`(async () => {
      const end = await link(number, 'text', { transform: [/^\\d{8}/, ''] });
      const found = [];
      for (const digit of '0123456789') {
        const element = await link(end, 'text', { validation: new RegExp('^' + digit), validateOnChange: true });
        const { error, details } = await settle(bt.tokens.create({ type: 'token', data: element }));
        found.push({ error, details, states: element.states, metadata: element.metadata });
        element.unmount();
      }
      return found;
    })()`);
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome)))).toHaveLength(1);
    await expectHidden(page, number);
  });

  it('cannot describe a token in a way that only the vault understands', async () => {
    const number = makeCardNumber();
    const page = await openWithNumber(number);
    const outcome = await page.attack<{ error?: string }[]>(`(async () => {
      const type = await mount('text', { value: 'token' });
      const id = '{{ data | slice: 8, 1 | sha256 | base64 }}';
      return [
        await settle(bt.tokenize({ type, data: number, id })),
        await settle(bt.tokenize([{ deep: { type, data: number, mask: '{{ data | slice: 8, 4 }}' } }])),
        await settle(bt.tokens.create({ type: 'token', data: number, fingerprint_expression: '{{ data | slice: 8, 1 }}' })),
        await settle(bt.tokens.create({ type: 'token', data: number, id })),
      ];
    })()`);
    for (const { error } of outcome) expect(error).toMatch(/only be used inside data|whole members|expression/);
    await expectHidden(page, number);
  });

  const prepared: [string, object][] = [
    ['the mask', { data: { n: 'z' }, mask: { all: '{{ data.n }}' } }],
    ['the mask in parts', { data: { n: 'z' }, mask: ['{{ data.n | slice: 0, 8 }}', '{{ data.n | slice: 6, 8 }}'] }],
    ['the search index', { data: { n: '01234567890123' }, search_indexes: ['{{ data.n | slice: 8, 4 }}'] }],
    ['the fingerprint', { data: { n: '01234567890123' }, fingerprint_expression: '{{ data.n | slice: 8, 4 }}' }],
  ];
  it.each(prepared)('gets nothing typed into a token that it has prepared, through %s', async (_view, token) => {
    const number = makeCardNumber();
    const { page, key } = await openAsUpdater(number);
    const made = await shop.vault.request('POST', '/tokens', { key, body: { type: 'token', ...token } });
    const { id } = made.body as { id: string };
    const outcome = await page.attack<{ error?: string }>(`settle(bt.tokens.update('${id}', { data: { n: number } }))`);
    expect(outcome.error).toContain('mask, search_indexes and fingerprint_expression of their type');
    expect(JSON.stringify(await read(id))).not.toContain(number);
    // A script can do without a field what a field must not do: read the token with the page's own key.
    await page.attack(stealing(id, key));
    await expectHidden(page, number);
  });

  it('gets nothing typed into a token that has the views of its type', async () => {
    const number = makeCardNumber();
    const { page, key } = await openAsUpdater(number);
    const made = await shop.vault.request('POST', '/tokens', { key, body: { type: 'token', data: { n: 'z' } } });
    const { id } = made.body as { id: string };
    expect(await page.attack(`settle(bt.tokens.update('${id}', { data: { n: number } }))`)).toMatchObject({
      value: { id },
    });
    expect(await read(id)).toMatchObject({ data: { n: number } });
    await page.attack(stealing(id, key));
    await expectHidden(page, number);
  });
});

/** Opens a page whose key may change tokens. */
async function openAsUpdater(number: string): Promise<{ page: WatchedPage; key: string }> {
  const { key } = await createApplication(shop.vault, shop.tenant, {
    type: 'public',
    permissions: ['token:create', 'token:update'],
    allowed_origins: [shop.origin],
  });
  const page = await watch(shop);
  await page.attack(`globalThis.key = ${JSON.stringify(key)}; ${hostileScript}`);
  await page.attack('start()');
  await page.type('number', number);
  return { page, key };
}

/** Returns a script that changes metadata with the page's key and keeps what the response shows of the data. */
function stealing(id: string, key: string): string {
  const headers = { 'bt-api-key': key, 'content-type': 'application/merge-patch+json' };
  const request = { method: 'PATCH', headers, body: '{"metadata":{"a":"b"}}' };
  return `settle(fetch('${shop.vault.server.url}/tokens/${id}', ${JSON.stringify(request)}).then((answer) => answer.text()))`;
}

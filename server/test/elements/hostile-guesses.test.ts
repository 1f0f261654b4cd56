import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passesLuhn } from '../../src/core/token-types/field-checks.ts';
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

async function open(): Promise<WatchedPage> {
  const page = await watch(shop);
  await page.attack(hostileScript);
  await page.attack('start()');
  return page;
}

/** Returns a number that is valid with its first 13 digits and with all 16. */
function makeTwofoldNumber(): string {
  const beginning = makeCardNumber(13);
  const ends = Array.from({ length: 1_000 }, (_, end) => `${beginning}${String(end).padStart(3, '0')}`);
  return ends.find(passesLuhn) ?? '';
}

describe('a page that guesses', () => {
  it('is not told by the vault that it was right', async () => {
    const number = makeCardNumber();
    const page = await open();
    await page.type('number', number);
    const { id } = await page.attack<{ id: string }>(
      `bt.tokens.create({ type: 'card_number', data: number }, { idempotencyKey: 'mine' })`,
    );
    const headers = { origin: shop.origin };
    const body = { type: 'card_number', data: number };
    const plain = await shop.vault.request('POST', '/tokens', { key: shop.key, headers, body });
    expect(plain.body).not.toMatchObject({ id });
    expect(plain.body).not.toHaveProperty('fingerprint');
    const asking = { key: shop.key, headers, body: { ...body, deduplicate_token: true } };
    expect((await shop.vault.request('POST', '/tokens', asking)).status).toBe(403);
    expect((await shop.vault.request('POST', '/tokenize', { ...asking, body: [asking.body] })).status).toBe(403);
    const again = await shop.vault.request('POST', '/tokens', {
      key: shop.key,
      headers: { ...headers, 'bt-idempotency-key': 'mine' },
      body: { ...body, deduplicate_token: false },
    });
    expect(again.status).toBe(201);
    expect(again.body).not.toMatchObject({ id });
    await page.context.close();
  });

  it('still gets one token for one idempotency key', async () => {
    const page = await open();
    await page.type('number', makeCardNumber());
    const create = `bt.tokens.create({ type: 'card_number', data: number }, { idempotencyKey: 'twice' })`;
    const [first, second] = await page.attack<[{ id: string }, { id: string }]>(
      `(async () => [await ${create}, await ${create}])()`,
    );
    expect(second.id).toBe(first.id);
    await page.context.close();
  });
});

describe('a page that looks while a number is typed', () => {
  it('sees the ends of a beginning, and then not those of the whole', async () => {
    const number = makeTwofoldNumber();
    const page = await open();
    await page.type('number', number.slice(0, 13));
    await page.attack('number.blur()');
    await expect.poll(() => page.attack('number.cardMetadata')).toMatchObject({ cardLast4: number.slice(9, 13) });
    await page.type('number', number.slice(13));
    const outcomes = await page.attack<{ error?: string }[]>(`(async () => [
      await settle(bt.tokens.create({ type: 'card_number', data: number })),
      await settle(bt.tokens.create({ type: 'card_number', data: await link(number, 'text') })),
      await settle(bt.tokenize([{ type: 'card_number', data: number }])),
      await settle(bt.tokens.create({ type: 'token', data: { n: number }, mask: { n: '{{ data.n | reveal_last: 4 }}' } })),
    ])()`);
    for (const { error } of outcomes) expect(error).toContain('with a part of what was typed');
    await expect.poll(() => page.attack('number.cardMetadata')).toEqual({ cardBrand: 'visa' });
    expect(await page.attack(`bt.tokens.create({ type: 'token', data: number })`)).not.toHaveProperty('data');
    // The page saw the beginning: the BIN and the end of those thirteen digits.
    expect(findHidden(await page.seen(), number.slice(0, 13))).toEqual([]);
    expect(await page.seen()).not.toContain(`"cardLast4":"${number.slice(-4)}"`);
    await page.context.close();
  });

  it('does not see the ends of the whole after a token of its beginning', async () => {
    const number = makeTwofoldNumber();
    const page = await open();
    const follower = `globalThis.follower ??= await link(number, 'text')`;
    await page.type('number', number.slice(0, 13));
    const outcome = await page.attack(
      `(async () => { ${follower}; return settle(bt.tokens.create({ type: 'card_number', data: follower })); })()`,
    );
    expect(outcome).toMatchObject({ value: { type: 'card_number' } });
    await page.type('number', number.slice(13));
    await page.attack('number.blur()');
    await expect.poll(() => page.attack('number.metadata')).toMatchObject({ complete: true });
    expect(await page.attack('number.cardMetadata')).toEqual({ cardBrand: 'visa' });
    await page.context.close();
  });
});

describe('what is typed for one key', () => {
  it('does not go into a token of another tenant of the vault', async () => {
    const stranger = await shop.vault.makeTenant();
    const { key } = await createApplication(shop.vault, stranger, {
      type: 'public',
      permissions: ['token:create'],
      allowed_origins: [shop.origin],
    });
    const session = await shop.vault.request('POST', '/sessions', { key });
    const { session_key, nonce } = session.body as { session_key: string; nonce: string };
    const granted = { nonce, permissions: ['token:create'] };
    await shop.vault.request('POST', '/sessions/authorize', { key: stranger.keys.private, body: granted });
    const page = await open();
    await page.type('number', makeCardNumber());
    for (const apiKey of [session_key, key, stranger.keys.private])
      expect(
        await page.attack(`settle(bt.tokens.create({ type: 'token', data: number }, { apiKey: '${apiKey}' }))`),
      ).toMatchObject({ error: expect.stringContaining('apiKey must be') });
    await page.attack(replaceController(key));
    await expect.poll(() => page.attack('seenMessages.join()')).toContain('"kind":"ready","element":"0"');
    expect(await page.attack(`Promise.race([late, reply])`)).not.toMatchObject({ value: expect.anything() });
    const { body } = await shop.vault.request('GET', '/tokens', { key: stranger.keys.private });
    expect(body).toMatchObject({ data: [] });
    await page.context.close();
  });
});

/**
 * Returns a script that loads a controller for another key under the nonce of the instance, lets a new field
 * join, and requests its value.
 */
function replaceController(key: string): string {
  return `(async () => {
    const old = document.querySelector('iframe[src*="/controller"]');
    const url = new URL(old.src);
    const nonce = url.hash.slice(1, 33);
    url.searchParams.set('key', ${JSON.stringify(key)}.split('_')[3].slice(0, 22));
    const frame = document.createElement('iframe');
    const send = (message) => frame.contentWindow.postMessage({ ...message, strongroom: nonce }, url.origin);
    globalThis.reply = new Promise((resolve) => addEventListener('message', ({ data, source }) => {
      if (source !== frame.contentWindow) return;
      if (data.kind === 'hello') send({ kind: 'setup', key: ${JSON.stringify(key)} });
      if (data.kind === 'result') resolve(data.outcome);
      if (data.kind === 'ready') ready();
    }));
    let ready;
    const started = new Promise((resolve) => { ready = resolve; });
    frame.src = url.href;
    document.body.prepend(frame);
    await started;
    const later = await mount('text', { value: 'typed later' });
    globalThis.late = reply;
    for (const element of [number, later])
      send({ kind: 'call', id: 1, call: { service: 'tokens.create', payload: { type: 'token', data: { $element: element.id } } } });
    await reply;
  })()`;
}

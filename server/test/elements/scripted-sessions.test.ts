import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtElements } from '../../src/features/elements/elements-files.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { ElementsShop } from '../harness/elements-shop.ts';

const number = '4242424242424242';
let shop: ElementsShop;
let cardId: string;
beforeAll(async () => {
  const port = await findFreePort();
  shop = await ElementsShop.start({
    elements: { config: { url: `http://127.0.0.1:${port}`, port }, folder: builtElements },
  });
  const body = { type: 'card', data: { number, expiration_month: 12, expiration_year: 2090 } };
  const stored = await shop.vault.request('POST', '/tokens', { key: shop.tenant.keys.private, body });
  cardId = (stored.body as { id: string }).id;
});
afterAll(() => shop.stop());

/** Authorizes a session as the server of a shop does to show a card to its owner. */
async function authorize(nonce: string): Promise<number> {
  const conditions = [{ attribute: 'id', operator: 'equals', value: cardId }];
  const rules = [{ priority: 1, conditions, transform: 'reveal', permissions: ['token:read'] }];
  const body = { nonce, rules, origin: 'elements' };
  return (await shop.vault.request('POST', '/sessions/authorize', { key: shop.tenant.keys.reveal, body })).status;
}

describe('a page that shows a card', () => {
  it('does so with a session of the card fields, without seeing the card', async () => {
    const { page, frameOf, complaints } = await shop.open();
    const nonce = await page.evaluate<string>(`(async () => {
      globalThis.bt = await strongroom(key);
      globalThis.field = bt.createElement('cardNumber', { targetId: 'number', readOnly: true });
      await field.mount('#number');
      globalThis.session = await bt.sessions.create();
      return session.nonce;
    })()`);
    expect(await authorize(nonce)).toBe(200);
    const seen = await page.evaluate<unknown>(`(async () => {
      const card = await bt.tokens.retrieve('${cardId}', { apiKey: session.sessionKey });
      field.setValue(card.data.number);
      return [card, session];
    })()`);
    const shown = (await frameOf('number')).getByRole('textbox');
    await expect.poll(async () => (await shown.inputValue()).replaceAll(' ', '')).toBe(number);
    expect(JSON.stringify(seen)).not.toContain(number);
    expect(complaints).toEqual([]);
  });

  /** Each script returns a session, or undefined if the browser or the vault blocks it. */
  const scripts: Readonly<Record<string, string>> = {
    'calls the API': `ask(vaultUrl + '/sessions', {})`,
    'calls the origin of the fields': `ask(elementsUrl + '/api/sessions', {})`,
    'claims the origin of the fields': `ask(elementsUrl + '/api/sessions', { origin: elementsUrl })`,
    'claims to be of the same site': `ask(elementsUrl + '/api/sessions', { 'sec-fetch-site': 'same-origin', origin: elementsUrl })`,
    'sends no referrer': `ask(elementsUrl + '/api/sessions', {}, { referrerPolicy: 'no-referrer' })`,
    'names a referrer of the fields': `ask(elementsUrl + '/api/sessions', {}, { referrerPolicy: 'unsafe-url' })`,
    'sends cookies along': `ask(elementsUrl + '/api/sessions', {}, { credentials: 'include' })`,
    'asks for no cross-origin check': `ask(elementsUrl + '/api/sessions', {}, { mode: 'no-cors' })`,
    'uses an older way to ask': `new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.open('POST', elementsUrl + '/api/sessions');
      request.setRequestHeader('bt-api-key', key);
      try { request.setRequestHeader('origin', elementsUrl); } catch {}
      request.onloadend = () => resolve(request.status === 201 ? JSON.parse(request.responseText) : undefined);
      request.send();
    })`,
    'asks from an empty frame': `(() => {
      const frame = document.body.appendChild(document.createElement('iframe'));
      return frame.contentWindow.fetch(elementsUrl + '/api/sessions', { method: 'POST', headers: { 'bt-api-key': key } })
        .then((response) => response.ok ? response.json() : undefined);
    })()`,
    'asks from a frame without an origin': `new Promise((resolve) => {
      addEventListener('message', ({ data }) => 'made' in data && resolve(data.made));
      const frame = document.createElement('iframe');
      frame.sandbox = 'allow-scripts';
      frame.srcdoc = '<script>fetch("' + elementsUrl + '/api/sessions", { method: "POST", headers: { "bt-api-key": "' + key +
        '" } }).then((response) => response.ok ? response.json() : undefined).catch(() => undefined)' +
        '.then((made) => parent.postMessage({ made }, "*"))</' + 'script>';
      document.body.append(frame);
    })`,
    'asks from a worker': `new Promise((resolve) => {
      const code = 'fetch("' + elementsUrl + '/api/sessions", { method: "POST", headers: { "bt-api-key": "' + key +
        '" } }).then((response) => response.ok ? response.json() : undefined).catch(() => undefined).then(postMessage)';
      const worker = new Worker(URL.createObjectURL(new Blob([code])));
      worker.onmessage = ({ data }) => resolve(data);
    })`,
    'runs in the frame of the fields': `(async () => {
      const bt = await strongroom(key);
      const [frame] = document.querySelectorAll('iframe');
      return frame.contentWindow.eval('1');
    })()`,
  };

  it.each(Object.entries(scripts))('gives no access to a script that %s', async (name, script) => {
    const { page, context } = await shop.open();
    await page.evaluate(`
      globalThis.vaultUrl = ${JSON.stringify(shop.vault.server.url)};
      globalThis.elementsUrl = ${JSON.stringify(shop.elementsUrl)};
      globalThis.ask = async (url, headers, more = {}) => {
        const response = await fetch(url, { method: 'POST', headers: { 'bt-api-key': key, ...headers }, ...more });
        return response.ok ? response.json() : undefined;
      };
    `);
    const made = await page.evaluate<{ nonce?: string; session_key?: string } | undefined>(
      `(${script}).catch(() => undefined)`,
    );
    // The API lets every page that may use the key create sessions.
    if (name === 'calls the API') expect(made?.nonce).toBeDefined();
    if (made?.nonce !== undefined) expect(await authorize(made.nonce)).toBe(403);
    for (const url of [`${shop.elementsUrl}/api`, shop.vault.server.url]) {
      const answer = await shop.vault.request('GET', `/tokens/${cardId}`, { key: made?.session_key ?? 'none', url });
      expect([401, 403]).toContain(answer.status);
    }
    await context.close();
  });
});

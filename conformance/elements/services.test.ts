import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { ApiCaller } from '../harness/api-caller.ts';
import { authorizeSession } from '../harness/authorize-session.ts';
import { differs } from '../harness/differs.ts';
import { makeApplication } from '../harness/make-application.ts';
import { webElements } from '../harness/published-package.ts';
import { Shop } from '../harness/shop.ts';
import { type ShopPage, tidyAfter } from '../harness/shop-page.ts';
import { testCard } from '../harness/value-forms.ts';

const vault = inject('vault');
const destination = inject('destinationUrl');
const { hostname } = new URL(destination);
const backend = new ApiCaller(vault, vault.keys.reveal);
const reference = { correlationId: expect.any(String), elementId: expect.any(String), path: expect.any(String) };
const cardValue = JSON.stringify(testCard);
let shop: Shop;
beforeAll(async () => {
  shop = await Shop.start(vault, webElements);
});
afterAll(() => shop.stop());

describe.each(webElements)('$name', (published) => {
  let page: ShopPage;
  beforeAll(async () => {
    page = await shop.visit(published, { scriptFrom: vault.elementsUrl });
    await page.open();
  });
  afterEach(tidyAfter(() => page));

  /** Opens a session that the shop's server has authorized. The page stores it in `session`. */
  const openSession = async (key = vault.keys.reveal) => {
    const nonce = await page.run<string>('globalThis.session = await bt.sessions.create(); return session.nonce');
    await authorizeSession(vault, nonce, key);
  };
  /** Opens a session that may use the proxy. Its authorizer names the hosts that a page may call. */
  const openSessionFor = async (host: string) => {
    const permissions = ['token:read', 'token:use'];
    const rule = { description: 'Charge a card', priority: 1, container: '/', transform: 'reveal', permissions };
    const { key } = await makeApplication(vault, { rules: [rule], allowed_destinations: [host] });
    await openSession(key);
  };

  describe('tokenIntents.create', () => {
    it('keeps what a card element holds until a server converts it, and shows the page what a token would', async () => {
      const card = await page.place('card', `{ value: ${cardValue} }`);
      const intent = await page.run<Record<string, unknown>>(
        `return bt.tokenIntents.create({ type: 'card', data: ${card.id} })`,
      );
      expect(intent).toMatchObject({
        type: 'card',
        card: { bin: '42424242', last4: '4242', brand: 'visa' },
        expiresAt: expect.any(String),
      });
      expect(JSON.stringify(intent)).not.toMatch(/fingerprint"|424242424242|data"/);
      const { body } = await backend.post('/tokens', { token_intent_id: intent['id'] });
      const { id } = body as { id: string };
      const { cvc: _cvc, ...lasting } = testCard;
      expect((await backend.read(id)).data).toEqual(lasting);
    });

    it('takes nothing but a type and data', async () => {
      const card = await page.place('card', `{ value: ${cardValue} }`);
      const call = `await bt.tokenIntents.create({ type: 'card', data: ${card.id}, metadata: { a: 'b' } })`;
      expect((await page.errorOf(call)).message).toBe('A token intent has only a type and data.');
    });
  });

  describe('tokens.encrypt', () => {
    const makeKey = async () => {
      const { body } = await new ApiCaller(vault, vault.keys.management).post('/keys', {});
      return body as { key_id: string; public_key_pem: string };
    };
    const encrypt = (card: string, { key_id, public_key_pem }: { key_id: string; public_key_pem: string }) =>
      `await bt.tokens.encrypt({
        tokenRequests: { theCard: { type: 'card', data: ${card} } },
        publicKeyPem: ${JSON.stringify(public_key_pem)},
        keyId: '${key_id}',
      })`;

    it('encrypts what a card element holds, for a server that stores it', async () => {
      const card = await page.place('card', `{ value: ${cardValue} }`);
      const call = encrypt(card.id, await makeKey());
      const { theCard } = await page.run<{ theCard: { encrypted: string; type: string } }>(`return ${call}`);
      const { body } = await backend.post('/tokens', theCard);
      const { id } = body as { id: string };
      expect((await backend.read(id)).data).toEqual(testCard);
    });

    it('refuses a key that the page has made', async () => {
      const card = await page.place('card', `{ value: ${cardValue} }`);
      const { key_id } = await makeKey();
      const public_key_pem = Buffer.alloc(32, 7).toString('base64');
      const error = await page.errorOf(encrypt(card.id, { key_id, public_key_pem }));
      expect(error.message).toContain('not that of a client key of this vault');
    });
  });

  describe('tokens.create', () => {
    it('stores what three elements hold, and returns it masked', async () => {
      const number = await page.place('cardNumber', `{ value: '${testCard.number}' }`);
      const date = await page.place('cardExpirationDate', `{ value: '12/50' }`);
      const code = await page.place('cardVerificationCode', `{ value: '123' }`);
      const token = await page.run<Record<string, unknown>>(`return bt.tokens.create({
        type: 'card',
        data: { number: ${number.id}, expiration_month: ${date.id}.month(), expiration_year: ${date.id}.year(), cvc: ${code.id} },
        metadata: { orderNumber: '17' },
        searchIndexes: ['{{ data.number }}'],
      })`);
      expect(token).toMatchObject({
        type: 'card',
        tenantId: vault.tenantId,
        data: { number: 'XXXXXXXXXXXX4242' },
        card: { bin: '42424242', last4: '4242', brand: 'visa' },
        metadata: { orderNumber: '17' },
      });
      expect(JSON.stringify(token)).not.toMatch(/fingerprint"|424242424242/);
      expect((await backend.read(String(token['id']))).data).toEqual(testCard);
    });

    it('stores a card element as its data', async () => {
      const card = await page.place('card', `{ value: ${cardValue} }`);
      const id = await page.run<string>(`return (await bt.tokens.create({ type: 'card', data: ${card.id} })).id`);
      expect((await backend.read(id)).data).toEqual(testCard);
    });

    it('stores dates in a format, and texts after their transform', async () => {
      const date = await page.place('cardExpirationDate', `{ value: '12/50' }`);
      const text = await page.place('text', `{ value: '(12) 34-56', transform: /[^0-9]/ }`);
      const dotted = await page.place('text', `{ value: '12-34', transform: [/-/, '.'] }`);
      const id = await page.run<string>(`return (await bt.tokens.create({ type: 'token', data: {
        plain: ${date.id}, short: ${date.id}.format('MM/YY'), long: ${date.id}.format('YYYY-MM'),
        digits: ${text.id}, dotted: [${dotted.id}],
      } })).id`);
      expect((await backend.read(id)).data).toEqual({
        plain: '12/50',
        short: '12/50',
        long: '2050-12',
        digits: '123456',
        dotted: ['12.34'],
      });
    });

    it('rejects what would show the page a value', async ({ task }) => {
      differs(task, 'A mask, an id or a duplicate could repeat or confirm what was typed.');
      const text = await page.place('text', `{ value: 'secret value' }`);
      const create = (more: string) =>
        page.errorOf(`await bt.tokens.create({ type: 'token', data: ${text.id}, ${more} })`);
      expect((await create(`mask: '{{ data }}'`)).message).toContain('reveal_last');
      expect((await create(`id: '{{ data }}'`)).message).toContain('expression');
      expect((await create('deduplicateToken: true')).message).toContain('deduplicateToken');
      expect((await create(`metadata: { name: ${text.id} }`)).message).toBe('Elements can only be used inside data.');
    });

    it('throws BasisTheoryValidationError with the place and kind of each mistake', async () => {
      const number = await page.place('cardNumber', `{ value: '5555555555554445' }`);
      const code = await page.place('cardVerificationCode');
      const card = await page.place('card', `{ value: { number: '${testCard.number}' } }`);
      const data = `{ number: ${number.id}, cvc: ${code.id}, list: [${code.id}], card: ${card.id} }`;
      const error = await page.errorOf(`await bt.tokens.create({ type: 'token', data: ${data} })`);
      const incomplete = { type: 'incomplete' };
      expect(error).toMatchObject({
        name: 'BasisTheoryValidationError',
        details: {
          data: {
            number: { type: 'invalid' },
            cvc: incomplete,
            list: { 0: incomplete },
            card: { expiration_month: incomplete, expiration_year: incomplete, cvc: incomplete },
          },
        },
        validation: [
          { targetId: number.id, type: 'invalid' },
          { targetId: code.id, ...incomplete },
          { targetId: code.id, ...incomplete },
          { targetId: 'expirationDate', ...incomplete },
          { targetId: 'cvc', ...incomplete },
        ],
      });
    });

    it('throws BasisTheoryApiError with status and data', async () => {
      const text = await page.place('text', `{ value: 'x' }`);
      const error = await page.errorOf(`await bt.tokens.create({ type: 'card', data: { number: ${text.id} } })`);
      expect(error).toMatchObject({
        name: 'BasisTheoryApiError',
        status: 400,
        data: { status: 400, errors: { 'data.number': expect.any(Array) } },
      });
    });

    it('says when an element is not mounted', async () => {
      const text = await page.place('text', `{ value: 'x' }`);
      await text.do('unmount()');
      const error = await page.errorOf(`await bt.tokens.create({ type: 'token', data: ${text.id} })`);
      expect(error.message).toBe('An element in the payload is not mounted.');
    });

    it('stores once under one idempotency key', async () => {
      const text = await page.place('text', `{ value: 'Once' }`);
      const ids = await page.run<string[]>(`
        const create = () => bt.tokens.create({ type: 'token', data: ${text.id} }, { idempotencyKey: '${crypto.randomUUID()}' });
        return [(await create()).id, (await create()).id]`);
      expect(ids[0]).toBe(ids[1]);
    });
  });

  describe('tokens.update', () => {
    it('replaces what is stored', async () => {
      const { id } = await backend.store({ type: 'token', data: { name: 'Before', kept: 1 } });
      const text = await page.place('text', `{ value: 'After' }`);
      await page.run(`await bt.tokens.update('${id}', { data: { name: ${text.id} } })`);
      expect((await backend.read(id)).data).toEqual({ name: 'After', kept: 1 });
    });

    it('throws BasisTheoryApiError for an unknown token', async () => {
      const text = await page.place('text', `{ value: 'x' }`);
      const error = await page.errorOf(`await bt.tokens.update('${crypto.randomUUID()}', { data: ${text.id} })`);
      expect(error).toMatchObject({ name: 'BasisTheoryApiError', status: 404 });
    });
  });

  describe('tokens.retrieve', () => {
    it('returns references, which elements show', async () => {
      const { id } = await backend.store({ type: 'card', data: testCard });
      await openSession();
      const token = await page.run<Record<string, unknown>>(
        `return bt.tokens.retrieve('${id}', { apiKey: session.sessionKey })`,
      );
      expect(token).toMatchObject({ id, type: 'card', data: { number: reference, expiration_month: reference } });
      expect(JSON.stringify(token)).not.toContain(testCard.number);
    });

    it('throws BasisTheoryApiError without the permission', async () => {
      const { id } = await backend.store({ type: 'card', data: testCard });
      const error = await page.errorOf(`await bt.tokens.retrieve('${id}')`);
      expect(error).toMatchObject({ name: 'BasisTheoryApiError', status: 403, data: { status: 403 } });
    });
  });

  describe('element.setValue', () => {
    it('shows what was retrieved, of which the page learns no more than that it is there', async () => {
      const { id } = await backend.store({ type: 'card', data: testCard });
      await openSession();
      await page.run(`globalThis.token = await bt.tokens.retrieve('${id}', { apiKey: session.sessionKey })`);
      const card = await page.place('card');
      const number = await page.place('cardNumber');
      const date = await page.place('cardExpirationDate');
      await card.do('setValue(token.data)');
      await number.do('setValue(token.data.number)');
      await date.do('setValue({ month: token.data.expiration_month, year: token.data.expiration_year })');
      await expect.poll(() => card.input('value')).toBe('4242 4242 4242 4242');
      await expect.poll(() => number.input('value')).toBe('4242 4242 4242 4242');
      await expect.poll(() => date.input('value')).toBe('12/50');
      await number.saw('change', { empty: false, complete: true, cardBrand: 'unknown' });
    });
  });

  describe('tokenize', () => {
    it('stores values and tokens, and returns ids and tokens in their places', async () => {
      const text = await page.place('text', `{ value: 'Jane' }`);
      const card = await page.place('card', `{ value: ${cardValue} }`);
      const made = await page.run<{ name: string; list: string[]; card: { id: string } }>(
        `return bt.tokenize({ name: ${text.id}, list: ['plain', ${text.id}], card: { type: 'card', data: ${card.id} } })`,
      );
      expect((await backend.read(made.name)).data).toBe('Jane');
      expect((await backend.read(made.list[1] ?? '')).data).toBe('Jane');
      expect((await backend.read(made.card.id)).data).toEqual(testCard);
    });
  });

  describe('sessions.create', () => {
    it('names a session for later calls, and keeps its key', async ({ task }) => {
      differs(task, 'With the key itself, a page could read what fields keep from it.');
      const session = await page.run<Record<string, string>>('return bt.sessions.create()');
      expect(session).toEqual({
        sessionKey: expect.stringMatching(/^session_/),
        nonce: expect.any(String),
        expiresAt: expect.any(String),
      });
      const { status } = await new ApiCaller(vault, session['sessionKey']).get('/tokens');
      expect(status).toBe(401);
    });
  });

  describe.each(['get', 'post', 'put', 'patch', 'delete'])('proxy.%s', (method) => {
    it('sends a token to a destination, and returns references', async ({ task }) => {
      differs(task, 'What a destination responds may hold a value, so a page gets references that elements show.');
      const { id } = await backend.store({ type: 'token', data: 'sent to the destination' });
      await openSessionFor(hostname);
      const expression = `{{ ${id} }}`;
      const body = method === 'get' || method === 'delete' ? '' : `body: { value: '${expression}' },`;
      const echo = await page.run(`globalThis.echo = await bt.proxy.${method}({
        apiKey: session.sessionKey, path: '/charges/17', query: { expand: 'all' }, ${body}
        headers: { 'BT-PROXY-URL': '${destination}/v1', 'X-Value': '${expression}' },
      }); return echo`);
      expect(echo).toMatchObject({ method: reference, path: reference, headers: { 'x-value': reference } });
      const shown = { method: method.toUpperCase(), path: '/v1/charges/17?expand=all' };
      const header = await page.place('text');
      await header.do(`setValue(echo.headers['x-value'])`);
      await expect.poll(() => header.input('value')).toBe('sent to the destination');
      for (const [name, text] of Object.entries(shown)) {
        const field = await page.place('text');
        await field.do(`setValue(echo.${name})`);
        await expect.poll(() => field.input('value')).toBe(text);
      }
    });

    it('rejects a host that the application behind the session does not list', async ({ task }) => {
      differs(task, 'A script of the page chooses the destination, so the authorizing application has to list it.');
      const call = `await bt.proxy.${method}({
        apiKey: session.sessionKey, headers: { 'BT-PROXY-URL': '${destination}' }, ${method === 'get' ? '' : 'body: {},'}
      })`;
      await openSession();
      expect(await page.errorOf(call)).toMatchObject({ name: 'BasisTheoryApiError', status: 403 });
      await openSessionFor('other.example');
      expect(await page.errorOf(call)).toMatchObject({ name: 'BasisTheoryApiError', status: 403 });
    });
  });

  describe('proxy.post', () => {
    it('returns headers on request, throws BasisTheoryApiError, and sends no elements', async () => {
      await openSessionFor(hostname);
      const to = (path: string) => `headers: { 'BT-PROXY-URL': '${destination}${path}' }, apiKey: session.sessionKey`;
      expect(
        await page.run(`return bt.proxy.post({ ${to('')}, body: {}, includeResponseHeaders: true })`),
      ).toMatchObject({
        headers: { 'content-type': 'application/json' },
      });
      expect(await page.errorOf(`await bt.proxy.post({ ${to('/status/402')}, body: {} })`)).toMatchObject({
        name: 'BasisTheoryApiError',
        status: 402,
      });
      const text = await page.place('text', `{ value: 'x' }`);
      const error = await page.errorOf(`await bt.proxy.post({ ${to('')}, body: { value: ${text.id} } })`);
      expect(error.message).toBe('The proxy takes no elements. Create a token and send its id.');
    });
  });

  describe('errors', () => {
    it('are told apart by their names, not by instanceof', async ({ task }) => {
      differs(
        task,
        'The script throws classes of its own and cannot reach those inside the bundle of a page. Compare `error.name`.',
      );
      const script = `await bt.tokens.retrieve('none').catch((error) => {
        throw Object.assign(new Error(), { isOfPackage: error instanceof published.BasisTheoryApiError, caught: error.name });
      })`;
      expect(await page.errorOf(script)).toMatchObject({ isOfPackage: false, caught: 'BasisTheoryApiError' });
    });
  });

  describe('what is not available', () => {
    it.each([
      ...['get', 'post', 'put', 'patch', 'delete'].map((method) => `client.${method}('https://shop.example')`),
      'device.getDeviceInfo()',
    ])('says so in one sentence: %s', async (call) => {
      const error = await page.errorOf(`await bt.${call}`);
      expect(error.message).toMatch(/^(client|device) is not available: [^.]+\.$/);
    });
  });
});

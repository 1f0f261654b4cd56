import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type BrowserClient, browserClientName, openBrowserClient } from '../harness/browser-client.ts';
import { thrownBy } from '../harness/thrown-by.ts';
import { isoTimestamp, maskedCard, testCard, uuidV4 } from '../harness/value-forms.ts';

const { url, keys, tenantId } = inject('vault');
let client: BrowserClient;
let revealing: BrowserClient;
let creator: BrowserClient;
let strangers: BrowserClient;
beforeAll(async () => {
  client = await openBrowserClient(keys.private, url);
  revealing = await openBrowserClient(keys.reveal, url);
  creator = await openBrowserClient(keys.public, url);
  strangers = await openBrowserClient('key_test_pub_nobody', url);
});
const store = async () => (await client.tokens.create({ type: 'token', data: 'Sensitive Value' })).id;

describe(browserClientName, () => {
  describe('tokens.create', () => {
    it('stores a card with a public key and returns it masked', async () => {
      const token = await creator.tokens.create({
        type: 'card',
        data: testCard,
        metadata: { orderNumber: '1' },
      });
      expect(token).toMatchObject({
        id: expect.stringMatching(uuidV4),
        tenantId,
        type: 'card',
        data: maskedCard,
        metadata: { orderNumber: '1' },
        containers: ['/pci/high/'],
        createdAt: expect.stringMatching(isoTimestamp),
      });
    });

    it('accepts every field of the request', async () => {
      const token = await revealing.tokens.create({
        id: `order-${crypto.randomUUID()}`,
        type: 'token',
        data: { firstName: 'Ada' },
        mask: '{{ data.firstName | reveal_last: 1 }}',
        containers: ['/customers/'],
        searchIndexes: ['{{ data.firstName }}'],
        fingerprintExpression: '{{ data.firstName }}',
        deduplicateToken: false,
        expiresAt: '2050-08-26T19:23:57-07:00',
      });
      expect(token).toMatchObject({
        data: { firstName: 'Ada' },
        mask: '{{ data.firstName | reveal_last: 1 }}',
        containers: ['/customers/'],
        searchIndexes: ['{{ data.firstName }}'],
        fingerprintExpression: '{{ data.firstName }}',
        expiresAt: '2050-08-26T19:23:57-07:00',
      });
    });

    it('throws with status and problem', async () => {
      const bad = await thrownBy(client.tokens.create({ type: 'card', data: { number: '4242' } }));
      expect(bad).toMatchObject({ name: 'BasisTheoryApiError', status: 400, data: { errors: expect.any(Object) } });
      expect(await thrownBy(strangers.tokens.create({ type: 'token', data: 'x' }))).toMatchObject({ status: 401 });
      const id = await store();
      expect(await thrownBy(client.tokens.create({ id, type: 'token', data: 'x' }))).toMatchObject({ status: 409 });
    });
  });

  describe('tokens.retrieve', () => {
    it('returns plaintext to a key with a rule that reveals', async () => {
      const { id } = await creator.tokens.create({ type: 'card', data: testCard });
      expect(await revealing.tokens.retrieve(id)).toMatchObject({ id, type: 'card', data: testCard });
    });

    it.each(['a b', 'naïve-ключ', "quote's;", 'at@example.com'])(
      'finds the id %j, which needs encoding',
      async (form) => {
        const id = `${form} ${crypto.randomUUID()}`;
        await client.tokens.create({ id, type: 'token', data: form });
        expect(await revealing.tokens.retrieve(id)).toMatchObject({ id, data: form });
        expect(await revealing.tokens.retrieve(encodeURIComponent(id))).toMatchObject({ id, data: form });
      },
    );

    it('throws 403 and 404', async () => {
      expect(await thrownBy(creator.tokens.retrieve(await store()))).toMatchObject({ status: 403 });
      expect(await thrownBy(client.tokens.retrieve(crypto.randomUUID()))).toMatchObject({ status: 404 });
    });
  });

  describe('tokens.update', () => {
    it('merges', async () => {
      const { id } = await revealing.tokens.create({
        type: 'token',
        data: { a: 1, b: 2 },
        metadata: { k: 'v' },
      });
      const updated = await revealing.tokens.update(id, { data: { b: 3 }, metadata: { l: 'w' } });
      expect(updated).toMatchObject({ data: { a: 1, b: 3 }, metadata: { k: 'v', l: 'w' } });
    });

    it('throws 400, 403 and 404', async () => {
      const { id } = await creator.tokens.create({ type: 'card', data: testCard });
      expect(await thrownBy(client.tokens.update(id, { data: { number: '1' } }))).toMatchObject({
        status: 400,
      });
      expect(await thrownBy(creator.tokens.update(id, {}))).toMatchObject({ status: 403 });
      expect(await thrownBy(client.tokens.update(crypto.randomUUID(), {}))).toMatchObject({ status: 404 });
    });
  });

  describe('tokens.delete', () => {
    it('removes the token', async () => {
      const id = await store();
      await client.tokens.delete(id);
      expect(await thrownBy(client.tokens.retrieve(id))).toMatchObject({ status: 404 });
    });

    it('throws 403 and 404', async () => {
      expect(await thrownBy(creator.tokens.delete(await store()))).toMatchObject({ status: 403 });
      expect(await thrownBy(client.tokens.delete(crypto.randomUUID()))).toMatchObject({ status: 404 });
    });
  });

  describe('tokens.list', () => {
    it('filters and paginates', async () => {
      const batch = crypto.randomUUID();
      const made = [];
      for (const data of ['a', 'b', 'c']) {
        made.unshift((await client.tokens.create({ type: 'token', data, metadata: { batch } })).id);
      }
      const first = await client.tokens.list({ metadata: { batch }, size: 2 });
      expect(first.data.map(({ id }) => id)).toEqual(made.slice(0, 2));
      expect(first.pagination).toEqual({ totalItems: 3, pageNumber: 1, pageSize: 2, totalPages: 2 });
      const second = await client.tokens.list({ id: made, type: 'token', page: 2, size: 2 });
      expect(second.data.map(({ id }) => id)).toEqual(made.slice(2));
      expect((await client.tokens.list({ metadata: { batch }, page: 3, size: 2 })).data).toEqual([]);
    });

    it('throws 400 and 403', async () => {
      expect(await thrownBy(client.tokens.list({ size: 101 }))).toMatchObject({ status: 400 });
      expect(await thrownBy(creator.tokens.list())).toMatchObject({ status: 403 });
    });
  });

  describe('tokens.search', () => {
    it('finds by metadata', async () => {
      const batch = crypto.randomUUID();
      const { id } = await client.tokens.create({ type: 'token', data: 'a', metadata: { batch } });
      const found = await client.tokens.search({ query: `metadata.batch:${batch}`, page: 1, size: 10 });
      expect(found.data.map((token) => token.id)).toEqual([id]);
      expect(found.pagination.totalItems).toBe(1);
    });

    it('throws 400 and 403', async () => {
      expect(await thrownBy(client.tokens.search({ query: 'nonsense:(' }))).toMatchObject({ status: 400 });
      expect(await thrownBy(creator.tokens.search({ query: 'type:card' }))).toMatchObject({ status: 403 });
    });
  });

  describe('tokenize', () => {
    it('responds in the shape of the request, with names unchanged', async () => {
      const answer = await creator.tokenize({
        firstName: 'Ada',
        card: { type: 'card', data: testCard },
        list: ['a', 1, true],
      });
      expect(answer).toMatchObject({
        firstName: expect.stringMatching(uuidV4),
        card: { id: expect.stringMatching(uuidV4), type: 'card', data: maskedCard },
        list: [expect.stringMatching(uuidV4), 1, true],
      });
    });

    it('throws 400 and 401', async () => {
      const bad = { type: 'card', data: { number: '4242' } };
      expect(await thrownBy(creator.tokenize(bad))).toMatchObject({ status: 400 });
      expect(await thrownBy(strangers.tokenize({ a: 'x' }))).toMatchObject({ status: 401 });
    });
  });
});

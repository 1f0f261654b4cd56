import { beforeAll, describe, expect, inject, it } from 'vitest';
import { collect } from '../harness/collect.ts';
import { differs } from '../harness/differs.ts';
import { nodeClients, older, openEarlier } from '../harness/node-clients.ts';
import { thrownBy } from '../harness/thrown-by.ts';

const { url, keys } = inject('vault');
/** Identifies the tokens of this file, because other files store tokens concurrently. */
const batch = crypto.randomUUID();
const amount = 7;
let ids: string[];
beforeAll(async () => {
  const client = openEarlier(keys.private, url);
  ids = [];
  for (let index = 0; index < amount; index += 1) {
    const { id = '' } = await client.tokens.create({
      type: index === 0 ? 'card_number' : 'token',
      data: index === 0 ? '4242424242424242' : `${batch} ${index}`,
      metadata: { batch, parity: index % 2 === 0 ? 'Even' : 'odd' },
      containers: [`/lists/${batch}/`],
      searchIndexes: index === 0 ? [] : ['{{ data }}'],
    });
    ids.unshift(id);
  }
});
const tooLarge = 'Returning fewer items than requested would look like the end of the list.';
const idsOf = (tokens: readonly { id?: string }[]) => tokens.map(({ id }) => id);

describe.each(nodeClients)('$name', ({ open, errors }) => {
  const client = open(keys.private, url);
  const strangers = open('key_test_pvt_nobody', url);
  const creator = open(keys.public, url);

  describe('tokens.listV2', () => {
    it('paginates automatically, newest first', async () => {
      const page = await client.tokens.listV2({ metadata: { batch }, size: 3 });
      expect(page.data).toHaveLength(3);
      expect(page.hasNextPage()).toBe(true);
      expect(idsOf(await collect(page))).toEqual(ids);
    });

    it('filters by type, metadata, container and fingerprint', async () => {
      const list = async (request: Parameters<typeof client.tokens.listV2>[0]) =>
        idsOf(await collect(await client.tokens.listV2(request)));
      expect(await list({ metadata: { batch }, type: 'card_number' })).toEqual(ids.slice(-1));
      expect(await list({ metadata: { batch, parity: 'EVEN' } })).toHaveLength(4);
      expect(await list({ container: `/lists/${batch}/` })).toEqual(ids);
      const { fingerprint = '' } = await client.tokens.get(ids[0] ?? '');
      expect(await list({ fingerprint })).toEqual(ids.slice(0, 1));
    });

    it('throws UnauthorizedError and ForbiddenError', async () => {
      expect(await thrownBy(strangers.tokens.listV2())).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(creator.tokens.listV2())).toBeInstanceOf(errors.forbidden);
    });

    it('throws with status 400 for a size beyond the maximum', async ({ task }) => {
      differs(task, tooLarge);
      const error = await thrownBy(client.tokens.listV2({ size: 101 }));
      expect(error).toBeInstanceOf(errors.any);
      expect(error).toMatchObject({ statusCode: 400 });
    });
  });

  describe('tokens.searchV2', () => {
    it('paginates automatically', async () => {
      const page = await client.tokens.searchV2({ query: `metadata.batch:${batch}`, size: 2 });
      expect(idsOf(await collect(page))).toEqual(ids);
    });

    it('finds exact indexed values', async () => {
      const page = await client.tokens.searchV2({ query: `data:"${batch} 3"` });
      expect(idsOf(page.data)).toEqual([ids.at(-4)]);
    });

    it('throws BadRequestError for an invalid query, UnauthorizedError and ForbiddenError', async () => {
      expect(await thrownBy(client.tokens.searchV2({ query: 'type:(' }))).toBeInstanceOf(errors.badRequest);
      expect(await thrownBy(strangers.tokens.searchV2({ query: 'type:card' }))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(creator.tokens.searchV2({ query: 'type:card' }))).toBeInstanceOf(errors.forbidden);
    });
  });
});

describe(older.name, () => {
  const client = openEarlier(keys.private, url);
  const strangers = openEarlier('key_test_pvt_nobody', url);
  const creator = openEarlier(keys.public, url);

  describe('tokens.list', () => {
    it('paginates until an empty page, newest first', async () => {
      const page = await client.tokens.list({ metadata: { batch }, size: 3 });
      expect(page.data).toHaveLength(3);
      expect(idsOf(await collect(page))).toEqual(ids);
    });

    it('filters by several ids and by metadata', async () => {
      const wanted = ids.slice(2, 5);
      expect(idsOf((await client.tokens.list({ id: wanted })).data)).toEqual(wanted);
      expect((await client.tokens.list({ metadata: { batch, parity: 'ODD' } })).data).toHaveLength(3);
    });

    it('is empty past the end', async () => {
      expect((await client.tokens.list({ metadata: { batch }, page: 99 })).data).toEqual([]);
    });

    it('throws UnauthorizedError and ForbiddenError', async () => {
      expect(await thrownBy(strangers.tokens.list())).toBeInstanceOf(older.errors.unauthorized);
      expect(await thrownBy(creator.tokens.list())).toBeInstanceOf(older.errors.forbidden);
    });
  });

  describe('tokens.search', () => {
    it('paginates until an empty page', async () => {
      const page = await client.tokens.search({ query: `metadata.batch:${batch}`, size: 4 });
      expect(idsOf(await collect(page))).toEqual(ids);
    });

    it('combines conditions', async () => {
      const query = `metadata.batch:${batch} AND (type:card_number OR data:"${batch} 1") AND NOT metadata.parity:odd`;
      expect(idsOf((await client.tokens.search({ query })).data)).toEqual(ids.slice(-1));
    });

    it('throws BadRequestError, UnauthorizedError and ForbiddenError', async () => {
      expect(await thrownBy(client.tokens.search({ query: 'type:(' }))).toBeInstanceOf(older.errors.badRequest);
      expect(await thrownBy(strangers.tokens.search({ query: 'type:card' }))).toBeInstanceOf(older.errors.unauthorized);
      expect(await thrownBy(creator.tokens.search({ query: 'type:card' }))).toBeInstanceOf(older.errors.forbidden);
    });
  });
});

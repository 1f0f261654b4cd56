import { describe, expect, inject, it } from 'vitest';
import { differs } from '../harness/differs.ts';
import { nodeClients } from '../harness/node-clients.ts';
import { thrownBy } from '../harness/thrown-by.ts';
import { maskedCard, testCard, uuidV4 } from '../harness/value-forms.ts';

const { url, keys, tenantId } = inject('vault');

describe.each(nodeClients)('$name', ({ open, errors }) => {
  const client = open(keys.private, url);
  const revealing = open(keys.reveal, url);
  const strangers = open('key_test_pvt_nobody', url);
  const creator = open(keys.public, url);
  const store = async (data: unknown = 'Sensitive Value') => {
    const { id = '' } = await client.tokens.create({ type: 'token', data });
    return id;
  };

  describe('tokens.create', () => {
    it('stores a card and returns it masked', async () => {
      const token = await client.tokens.create({ type: 'card', data: testCard, metadata: { orderNumber: '17' } });
      expect(token).toMatchObject({
        id: expect.stringMatching(uuidV4),
        tenantId,
        type: 'card',
        data: maskedCard,
        mask: maskedCard,
        metadata: { orderNumber: '17' },
        containers: ['/pci/high/'],
        fingerprintExpression: '{{ data.number }}',
        card: { bin: '42424242', last4: '4242', brand: 'visa', expirationMonth: 12, expirationYear: 2050 },
      });
      expect(token.createdAt).toBeInstanceOf(Date);
      expect(token.fingerprint).toMatch(/^[A-Za-z0-9]{1,100}$/);
    });

    it('accepts every field of the request', async () => {
      const token = await revealing.tokens.create({
        id: `order-${crypto.randomUUID()}`,
        type: 'token',
        data: { firstName: 'Ada', nested_key: [1, true, null] },
        mask: { firstName: '{{ data.firstName | reveal_last: 1 }}' },
        containers: ['/customers/eu/'],
        metadata: { camelCase: 'kept', snake_case: 'kept' },
        searchIndexes: ['{{ data.firstName }}'],
        fingerprintExpression: '{{ data.firstName }}',
        deduplicateToken: false,
        expiresAt: '2050-08-26T19:23:57-07:00',
      });
      expect(token).toMatchObject({
        data: { firstName: 'Ada', nested_key: [1, true, null] },
        mask: { firstName: '{{ data.firstName | reveal_last: 1 }}' },
        containers: ['/customers/eu/'],
        metadata: { camelCase: 'kept', snake_case: 'kept' },
        searchIndexes: ['{{ data.firstName }}'],
        fingerprintExpression: '{{ data.firstName }}',
        expiresAt: new Date('2050-08-26T19:23:57-07:00'),
      });
    });

    it('returns the existing token when deduplicating', async () => {
      const request = { type: 'token', data: crypto.randomUUID(), deduplicateToken: true };
      const first = await client.tokens.create(request);
      expect((await client.tokens.create(request)).id).toBe(first.id);
    });

    it('ignores privacy settings', async ({ task }) => {
      differs(task, 'Containers and access rules define who sees what; a second mechanism could contradict them.');
      const token = await client.tokens.create({
        type: 'token',
        data: 'x',
        privacy: { classification: 'pci', impactLevel: 'high', restrictionPolicy: 'redact' },
      });
      expect(token.containers).toEqual(['/general/high/']);
      expect(token.privacy).toBeUndefined();
    });

    it('rejects an id expression that reveals the data', async ({ task }) => {
      differs(task, 'Ids appear in paths, logs and other databases. Use your own value or one of the alias filters.');
      const error = await thrownBy(client.tokens.create({ id: '{{ data }}', type: 'token', data: 'Sensitive Value' }));
      expect(error).toBeInstanceOf(errors.badRequest);
    });

    it('throws BadRequestError with the field name', async () => {
      const error = await thrownBy(client.tokens.create({ type: 'card', data: { ...testCard, number: '4242' } }));
      expect(error).toBeInstanceOf(errors.badRequest);
      expect(error).toMatchObject({
        statusCode: 400,
        body: {
          status: 400,
          title: 'One or more validation errors occurred.',
          errors: { 'data.number': [expect.any(String)] },
        },
      });
    });

    it('throws UnauthorizedError for an unknown key', async () => {
      const error = await thrownBy(strangers.tokens.create({ type: 'token', data: 'x' }));
      expect(error).toBeInstanceOf(errors.unauthorized);
      expect(error).toMatchObject({ statusCode: 401, body: { status: 401, title: 'Unauthorized' } });
    });

    it('throws ForbiddenError without the permission', async () => {
      const error = await thrownBy(open(keys.management, url).tokens.create({ type: 'token', data: 'x' }));
      expect(error).toBeInstanceOf(errors.forbidden);
      expect(error).toMatchObject({ statusCode: 403, body: { status: 403, title: 'Forbidden' } });
    });

    it('throws ConflictError for an id that is taken', async () => {
      const id = await store();
      const error = await thrownBy(client.tokens.create({ id, type: 'token', data: 'x' }));
      expect(error).toBeInstanceOf(errors.conflict);
      expect(error).toMatchObject({ statusCode: 409, body: { status: 409 } });
    });
  });

  describe('tokens.get', () => {
    it('returns plaintext to a key with a rule that reveals', async () => {
      const { id = '' } = await client.tokens.create({ type: 'card', data: testCard });
      expect(await revealing.tokens.get(id)).toMatchObject({ id, type: 'card', data: testCard });
      expect((await client.tokens.get(id)).data).toEqual(maskedCard);
    });

    it.each(['a b', 'naïve-ключ-鍵', 'semi;colon', "quote's", 'at@example.com', 'comma,colon:', 'tilde~!*()$'])(
      'finds the id %j, which needs encoding',
      async (form) => {
        const id = `${form} ${crypto.randomUUID()}`;
        await client.tokens.create({ id, type: 'token', data: form });
        expect(await revealing.tokens.get(id)).toMatchObject({ id, data: form });
        await client.tokens.delete(id);
        expect(await thrownBy(client.tokens.get(id))).toBeInstanceOf(errors.notFound);
      },
    );

    it('throws NotFoundError for an unknown id', async () => {
      const error = await thrownBy(client.tokens.get(crypto.randomUUID()));
      expect(error).toBeInstanceOf(errors.notFound);
      expect(error).toMatchObject({ statusCode: 404, body: { status: 404, title: 'Not Found' } });
    });

    it('throws UnauthorizedError for an unknown key and ForbiddenError without the permission', async () => {
      const id = await store();
      expect(await thrownBy(strangers.tokens.get(id))).toBeInstanceOf(errors.unauthorized);
      const error = await thrownBy(creator.tokens.get(id));
      expect(error).toBeInstanceOf(errors.forbidden);
      expect(error).toMatchObject({ body: { detail: expect.stringContaining('token:read') } });
    });
  });

  describe('tokens.update', () => {
    it('throws ForbiddenError for a new mask on stored data, unless the key may see that data', async ({ task }) => {
      differs(
        task,
        'A mask can show everything, so setting one on stored data requires access to the data: reveal, or plain token:update of a private application.',
      );
      const { id = '' } = await client.tokens.create({ type: 'card', data: testCard });
      const { key = '' } = await open(keys.management, url).applications.create({
        name: 'Page',
        type: 'public',
        permissions: ['token:update'],
      });
      const page = open(key, url);
      expect(await thrownBy(page.tokens.update(id, { mask: '{{ data }}' }))).toBeInstanceOf(errors.forbidden);
      expect((await page.tokens.update(id, { metadata: { a: 'b' } })).metadata).toEqual({ a: 'b' });
      expect((await client.tokens.update(id, { mask: { last: '{{ data.number | last4 }}' } })).id).toBe(id);
    });

    it('merges data and metadata and replaces containers', async () => {
      const { id = '' } = await revealing.tokens.create({
        type: 'token',
        data: { keep: 1, change: 2, drop: 3 },
        metadata: { keep: 'a', change: 'b' },
        containers: ['/one/'],
      });
      const updated = await revealing.tokens.update(id, {
        data: { change: 'new', drop: null },
        metadata: { change: 'c' },
        containers: ['/two/', '/three/'],
      });
      expect(updated).toMatchObject({ data: { keep: 1, change: 'new' }, metadata: { keep: 'a', change: 'c' } });
      expect(updated.data).not.toHaveProperty('drop');
      expect(updated.containers).toEqual(['/two/', '/three/']);
      expect(updated.modifiedAt).toBeInstanceOf(Date);
    });

    it('throws BadRequestError, NotFoundError, UnauthorizedError and ForbiddenError', async () => {
      const { id = '' } = await client.tokens.create({ type: 'card', data: testCard });
      expect(await thrownBy(client.tokens.update(id, { data: { number: '1' } }))).toBeInstanceOf(errors.badRequest);
      expect(await thrownBy(client.tokens.update(crypto.randomUUID(), {}))).toBeInstanceOf(errors.notFound);
      expect(await thrownBy(strangers.tokens.update(id, {}))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(creator.tokens.update(id, {}))).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('tokens.delete', () => {
    it('removes the token', async () => {
      const id = await store();
      expect(await client.tokens.delete(id)).toBeUndefined();
      expect(await thrownBy(client.tokens.get(id))).toBeInstanceOf(errors.notFound);
    });

    it('throws NotFoundError, UnauthorizedError and ForbiddenError', async () => {
      const id = await store();
      expect(await thrownBy(client.tokens.delete(crypto.randomUUID()))).toBeInstanceOf(errors.notFound);
      expect(await thrownBy(strangers.tokens.delete(id))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(creator.tokens.delete(id))).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('tokens.tokenize', () => {
    it('responds in the shape of the request', async () => {
      const answer = await client.tokens.tokenize({
        first_name: 'Ada',
        cards: [{ type: 'card', data: testCard }, 'plain'],
        count: 3,
        nothing: null,
      });
      expect(answer).toMatchObject({
        first_name: expect.stringMatching(uuidV4),
        cards: [
          { id: expect.stringMatching(uuidV4), type: 'card', tenant_id: tenantId },
          expect.stringMatching(uuidV4),
        ],
        count: 3,
        nothing: null,
      });
    });

    it('throws BadRequestError for one invalid part, UnauthorizedError and ForbiddenError', async () => {
      const bad = { good: 'x', bad: { type: 'card', data: { number: '4242' } } };
      expect(await thrownBy(client.tokens.tokenize(bad))).toBeInstanceOf(errors.badRequest);
      expect(await thrownBy(strangers.tokens.tokenize({ a: 'x' }))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(open(keys.management, url).tokens.tokenize({ a: 'x' }))).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('tokens.detokenize', () => {
    it('replaces references by values, keeping their types', async () => {
      const { id = '' } = await client.tokens.create({ type: 'card', data: testCard });
      const answer = await revealing.tokens.detokenize({
        whole: `{{ ${id} }}`,
        month: `{{ ${id} | json: '$.expiration_month' }}`,
        text: `ends in {{ ${id} | json: '$.number' | last4 }}`,
      });
      expect(answer).toEqual({ whole: testCard, month: 12, text: 'ends in 4242' });
    });

    it('throws BadRequestError for an unknown token, UnauthorizedError and ForbiddenError', async () => {
      const id = await store();
      expect(await thrownBy(client.tokens.detokenize({ a: `{{ ${crypto.randomUUID()} }}` }))).toBeInstanceOf(
        errors.badRequest,
      );
      expect(await thrownBy(strangers.tokens.detokenize({ a: `{{ ${id} }}` }))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(creator.tokens.detokenize({ a: `{{ ${id} }}` }))).toBeInstanceOf(errors.forbidden);
    });
  });
});

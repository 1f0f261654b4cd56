import { describe, expect, inject, it } from 'vitest';
import { nodeClients } from '../harness/node-clients.ts';
import { thrownBy } from '../harness/thrown-by.ts';
import { maskedCard, testCard, uuidV4 } from '../harness/value-forms.ts';

const { url, keys } = inject('vault');

/** The oldest client is from before token intents. */
const clients = nodeClients.filter(({ open }) => 'tokenIntents' in Object.getPrototypeOf(open(keys.private, url)));

describe.each(clients)('$name', ({ open, errors }) => {
  const client = open(keys.private, url);
  const create = () => client.tokenIntents.create({ type: 'card', data: { ...testCard, cvc: '987' } });

  describe('tokenIntents.create', () => {
    it('returns details of the card, and when it expires', async () => {
      const { id, card, type, expiresAt = new Date(0) } = await create();
      expect(id).toMatch(uuidV4);
      expect({ type, last4: card?.last4 }).toEqual({ type: 'card', last4: testCard.number.slice(-4) });
      expect(expiresAt.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    });

    it('throws BadRequestError for a number that is none', async () => {
      const request = { type: 'card', data: { ...testCard, number: '4242424242424241' } };
      expect(await thrownBy(client.tokenIntents.create(request))).toBeInstanceOf(errors.badRequest);
    });
  });

  describe('tokenIntents.get', () => {
    it('returns the token intent', async () => {
      const { id = '', fingerprint } = await create();
      expect(await client.tokenIntents.get(id)).toMatchObject({ id, fingerprint, type: 'card' });
    });
  });

  describe('tokenIntents.delete', () => {
    it('deletes it', async () => {
      const { id = '' } = await create();
      await client.tokenIntents.delete(id);
      expect(await thrownBy(client.tokenIntents.get(id))).toBeInstanceOf(errors.notFound);
    });
  });

  describe('tokens.create', () => {
    it('turns a token intent into a token', async () => {
      const { id: tokenIntentId = '' } = await create();
      const token = await client.tokens.create({ tokenIntentId });
      expect(token.data).toEqual(maskedCard);
      expect(await thrownBy(client.tokenIntents.get(tokenIntentId))).toBeInstanceOf(errors.notFound);
    });
  });
});

import { beforeAll, describe, expect, inject, it } from 'vitest';
import { canarySuite, toShare } from '../compatibility/maker-suites.ts';
import { nodeClients } from '../harness/node-clients.ts';
import { thrownBy } from '../harness/thrown-by.ts';
import { uuidV4 } from '../harness/value-forms.ts';

/**
 * A rewrite of the tests that the makers of the clients run against their own service before a release
 * (`tests/integration/canary.test.ts` of node-sdk 6.1.1), as far as a vault supports them: the tests that pass, the one
 * that they skip, and the token life cycle without its stored proxy and its reactor. The makers' private key reveals
 * plaintext, so the key here does too.
 */
const { url, keys } = inject('vault');
const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2025, cvc: '123' };
const aGuid = expect.stringMatching(uuidV4) as string;

describe.each(nodeClients)('$name', ({ open, errors }) => {
  const manager = open(keys.management, url);
  const client = open(keys.reveal, url);
  const storeCard = async (number: string, idempotencyKey?: string) => {
    const { id = '' } = await client.tokens.create(
      {
        type: 'card',
        data: { number, expiration_month: 4, expiration_year: 2025, cvc: 123 },
        metadata: { customer_id: '3181' },
        searchIndexes: ['{{ data.expiration_month }}', '{{ data.number | last4 }}'],
        fingerprintExpression: '{{ data.number }}',
        mask: { number: '{{ data.number, reveal_last: 4 }}', cvc: '{{ data.cvc }}' },
        deduplicateToken: false,
        containers: ['/pci/high/'],
      },
      idempotencyKey === undefined ? {} : { idempotencyKey },
    );
    return id;
  };
  const numberOf = async (id: string) => ((await client.tokens.get(id)).data as typeof card).number;

  describe(`a rewrite of the canary suite, [${toShare(canarySuite)} tests](#suites-of-the-makers)`, () => {
    it('authentication: an unknown key is refused', async () => {
      expect(await thrownBy(open('INVALID', url).tenants.self.get())).toBeInstanceOf(errors.unauthorized);
    });

    it('authentication: a key of the client itself', async () => {
      expect(await manager.tenants.self.get()).toMatchObject({ id: aGuid });
    });

    it('request correlation: a trace id of the caller', async () => {
      expect(await manager.tenants.self.get({ correlationId: crypto.randomUUID() })).toMatchObject({ id: aGuid });
    });

    it('tenants: the name of the tenant', async () => {
      expect((await manager.tenants.self.get()).name).toBe('Development');
    });

    it('tokens: create and update, with the older form of a date', async () => {
      const fields = {
        data: `Sensitive Value ${crypto.randomUUID()}`,
        mask: '{{ data | reveal_last: 4 }}',
        metadata: { nonSensitiveField: 'Non-Sensitive Value' },
        searchIndexes: ['{{ data }}', '{{ data | last4 }}'],
        fingerprintExpression: '{{ data }}',
        deduplicateToken: true,
      };
      const { id = '' } = await client.tokens.create({
        ...fields,
        type: 'token',
        containers: ['/general/high/'],
        expiresAt: '8/26/2030 7:23:57 PM -07:00',
      });
      expect((await client.tokens.update(id, fields)).id).toBe(id);
    });

    it.each([
      ['basic', { first_name: 'John', last_name: 'Doe' }, { first_name: aGuid, last_name: aGuid }],
      [
        'a token',
        {
          type: 'token',
          data: 'Sensitive Value',
          search_indexes: ['{{ data }}'],
          fingerprint_expression: '{{ data }}',
        },
        { id: aGuid },
      ],
      ['a card', { type: 'card', data: card, metadata: { nonSensitiveField: 'Non-Sensitive Value' } }, { id: aGuid }],
      [
        'an array',
        ['John', 'Doe', { type: 'card', data: card }, { type: 'token', data: 'Sensitive Value' }],
        [aGuid, aGuid, { id: aGuid }, { id: aGuid }],
      ],
      [
        'a composite',
        {
          first_name: 'John',
          last_name: 'Doe',
          primary_card: { type: 'card', data: card },
          sensitive_tags: ['preferred', { type: 'token', data: 'vip' }],
        },
        { first_name: aGuid, last_name: aGuid, primary_card: { id: aGuid }, sensitive_tags: [aGuid, { id: aGuid }] },
      ],
    ])('tokenize: %s', async (_, document, expected) => {
      expect(await client.tokens.tokenize(document)).toMatchObject(expected);
    });

    it('detokenize: a part of a token', async () => {
      const id = await storeCard('4242424242424242');
      const found = await client.tokens.detokenize({ card_number: `{{ ${id} | json: '$.number' }}` });
      expect(found).toEqual({ card_number: '4242424242424242' });
    });

    it('detokenize: an array of whole tokens', async () => {
      const ids = [await storeCard('4242424242424242'), await storeCard('4111111111111111')];
      const found = await client.tokens.detokenize({ tokens: ids.map((id) => `{{ ${id} }}`) });
      expect(found).toMatchObject({ tokens: [{ number: '4242424242424242' }, { number: '4111111111111111' }] });
    });

    it('tokens: the life of a token, beside that of an application', async () => {
      const id = await storeCard('6011000990139424');
      expect(await numberOf(id)).toBe('6011000990139424');
      await client.tokens.update(id, { data: { number: '4242424242424242' } });
      expect(await numberOf(id)).toBe('4242424242424242');
      const application = await manager.applications.create({
        type: 'private',
        name: '(Deletable)',
        permissions: ['token:use'],
      });
      await manager.applications.delete(application.id ?? '');
      await client.tokens.delete(id);
      expect(await thrownBy(client.tokens.get(id))).toBeInstanceOf(errors.notFound);
    });

    it('idempotency headers: another body gets the first token', async () => {
      const key = crypto.randomUUID();
      expect(await storeCard('4242424242424242', key)).toBe(await storeCard('6011000990139424', key));
    });

    describe('pages', () => {
      beforeAll(async () => {
        for (let count = 0; count < 4; count += 1) await storeCard('4242424242424242');
      });

      it('tokens.listV2 goes past its first page', async () => {
        let count = 0;
        for await (const _ of await client.tokens.listV2({ size: 3 })) if (++count > 3) break;
        expect(count).toBeGreaterThan(3);
      });
    });
  });
});

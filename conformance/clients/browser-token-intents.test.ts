import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type BrowserClient, browserClientName, openBrowserClient } from '../harness/browser-client.ts';
import { thrownBy } from '../harness/thrown-by.ts';
import { testCard, uuidV4 } from '../harness/value-forms.ts';

const { url, keys } = inject('vault');
let client: BrowserClient;
beforeAll(async () => {
  client = await openBrowserClient(keys.private, url);
});
const create = () => client.tokenIntents.create({ type: 'card', data: { ...testCard, cvc: '987' } });

describe(browserClientName, () => {
  describe('tokenIntents.create', () => {
    it('returns details of the card, and when it expires', async () => {
      const made = await create();
      expect(made.id).toMatch(uuidV4);
      expect(made).toMatchObject({ type: 'card', card: { last4: testCard.number.slice(-4) } });
      expect(Date.parse(made.expiresAt)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
      expect(JSON.stringify(made)).not.toContain(testCard.number);
    });

    it('throws 400 for a number that is none', async () => {
      const request = { type: 'card', data: { ...testCard, number: '4242424242424241' } } as const;
      expect(await thrownBy(client.tokenIntents.create(request))).toMatchObject({ status: 400 });
    });
  });

  describe('tokenIntents.delete', () => {
    it('deletes it', async () => {
      const { id } = await create();
      await client.tokenIntents.delete(id);
      expect(await thrownBy(client.tokenIntents.delete(id))).toMatchObject({ status: 404 });
    });
  });
});

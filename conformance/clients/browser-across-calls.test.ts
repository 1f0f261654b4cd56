import { describe, expect, inject, it } from 'vitest';
import { browserClientName, openBrowserClient } from '../harness/browser-client.ts';
import { thrownBy } from '../harness/thrown-by.ts';

const { url, keys } = inject('vault');

describe(browserClientName, () => {
  describe('idempotency keys', () => {
    it('return the first response again, even for another body', async () => {
      const client = await openBrowserClient(keys.private, url);
      const idempotencyKey = crypto.randomUUID();
      const first = await client.tokens.create({ type: 'token', data: 'first' }, { idempotencyKey });
      expect(await client.tokens.create({ type: 'token', data: 'other' }, { idempotencyKey })).toEqual(first);
    });
  });

  describe('trace ids', () => {
    it('are returned as sent, in responses and errors', async () => {
      const client = await openBrowserClient(keys.private, url, { debug: true });
      const token = await client.tokens.create({ type: 'token', data: 'x' }, { correlationId: 'order-17' });
      expect(token._debug).toMatchObject({ btTraceId: 'order-17' });
      const error = await thrownBy(client.tokens.retrieve(crypto.randomUUID(), { correlationId: 'order-18' }));
      expect(error).toMatchObject({ status: 404, _debug: { btTraceId: 'order-18' } });
    });
  });
});

import { describe, expect, inject, it } from 'vitest';
import { differs } from '../harness/differs.ts';
import { newest, nodeClients } from '../harness/node-clients.ts';
import { thrownBy } from '../harness/thrown-by.ts';
import { testCard } from '../harness/value-forms.ts';

const { url, keys } = inject('vault');

describe.each(nodeClients)('$name', ({ open, errors }) => {
  const client = open(keys.private, url);

  describe('idempotency keys', () => {
    it('return the first response again, even for another body', async () => {
      const idempotencyKey = crypto.randomUUID();
      const first = await client.tokens.create({ type: 'token', data: 'first' }, { idempotencyKey });
      const again = await client.tokens.create({ type: 'token', data: 'other' }, { idempotencyKey });
      expect(again).toEqual(first);
      expect((await open(keys.reveal, url).tokens.get(first.id ?? '')).data).toBe('first');
    });

    it('do not remember failures', async () => {
      const idempotencyKey = crypto.randomUUID();
      const bad = client.tokens.create({ type: 'card', data: { number: '1' } }, { idempotencyKey });
      expect(await thrownBy(bad)).toBeInstanceOf(errors.badRequest);
      await client.tokens.create({ type: 'card', data: testCard }, { idempotencyKey });
    });

    it('work on updates', async () => {
      const { id = '' } = await client.tokens.create({ type: 'token', data: 'x', metadata: { a: '1' } });
      const idempotencyKey = crypto.randomUUID();
      await client.tokens.update(id, { metadata: { a: '2' } }, { idempotencyKey });
      expect((await client.tokens.update(id, { metadata: { a: '3' } }, { idempotencyKey })).metadata).toEqual({
        a: '2',
      });
    });

    it('repeat the response for a card without its verification code', async ({ task }) => {
      differs(task, 'A verification code may be kept only for an hour, and in no other place.');
      const idempotencyKey = crypto.randomUUID();
      const revealing = open(keys.reveal, url);
      const first = await revealing.tokens.create({ type: 'card', data: testCard }, { idempotencyKey });
      const again = await revealing.tokens.create({ type: 'card', data: testCard }, { idempotencyKey });
      const { cvc: _, ...rest } = testCard;
      expect(first.data).toEqual(testCard);
      expect(again).toMatchObject({ id: first.id, data: rest });
      expect(again.data).not.toHaveProperty('cvc');
    });

    it('do not apply to sessions.create', async ({ task }) => {
      differs(
        task,
        'Browsers share a public key: anyone who guessed an idempotency key would get the session of another visitor.',
      );
      const idempotencyKey = crypto.randomUUID();
      const page = open(keys.public, url);
      const session = await page.sessions.create({ idempotencyKey });
      expect((await page.sessions.create({ idempotencyKey })).nonce).not.toBe(session.nonce);
    });

    it('repeat the response for a new application without its secret', async ({ task }) => {
      differs(task, 'Secrets are not stored, so they cannot be shown again.');
      const manager = open(keys.management, url);
      const idempotencyKey = crypto.randomUUID();
      const request = { name: 'Once', type: 'private', permissions: ['token:read'] };
      const first = await manager.applications.create(request, { idempotencyKey });
      const again = await manager.applications.create(request, { idempotencyKey });
      expect(first.key).toEqual(expect.any(String));
      expect(again.id).toBe(first.id);
      expect(again.key).toBeUndefined();
    });
  });

  describe('errors', () => {
    it('never repeat a value that was sent', async () => {
      const number = '4242424242424241';
      const error = await thrownBy(client.tokens.create({ type: 'card', data: { ...testCard, number } }));
      expect(JSON.stringify((error as { body: unknown }).body)).not.toContain(number);
    });

    it('link to a page about the error', async () => {
      const error = (await thrownBy(client.tokens.get(crypto.randomUUID()))) as { body: { type: string } };
      const page = await fetch(new URL(error.body.type, url));
      expect(page.status).toBe(200);
    });
  });
});

describe(newest.name, () => {
  describe('trace ids', () => {
    it('are returned as sent, or generated if missing', async () => {
      const client = newest.open(keys.private, url);
      const sent = await client.tokens
        .create({ type: 'token', data: 'x' }, { correlationId: 'order-17' })
        .withRawResponse();
      expect(sent.rawResponse.headers.get('bt-trace-id')).toBe('order-17');
      const made = await client.tokens.create({ type: 'token', data: 'x' }).withRawResponse();
      expect(made.rawResponse.headers.get('bt-trace-id')).toMatch(/\S{16,}/);
      const failed = (await thrownBy(client.tokens.get(crypto.randomUUID(), { correlationId: 'order-18' }))) as {
        rawResponse: { headers: Headers };
      };
      expect(failed.rawResponse.headers.get('bt-trace-id')).toBe('order-18');
    });
  });
});

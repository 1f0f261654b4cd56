import { describe, expect, inject, it } from 'vitest';
import { nodeClients } from '../harness/node-clients.ts';
import { thrownBy } from '../harness/thrown-by.ts';
import { uuidV4 } from '../harness/value-forms.ts';

const { url, keys } = inject('vault');
const aGuid = expect.stringMatching(uuidV4) as string;
const address = () => `https://receiver.example.com/${crypto.randomUUID()}`;

describe.each(nodeClients)('$name', ({ open, errors }) => {
  const manager = open(keys.management, url);
  const backend = open(keys.private, url);
  const create = (settings = {}) =>
    manager.webhooks.create({ name: 'Receiver', url: address(), events: ['token.created'], ...settings });

  describe('webhooks.ping', () => {
    it('accepts a valid key, and throws for any other', async () => {
      expect(await manager.webhooks.ping()).toBeUndefined();
      expect(await thrownBy(open('nobody', url).webhooks.ping())).toBeInstanceOf(errors.any);
    });
  });

  describe('webhooks.events.list', () => {
    it('lists the types of events', async () => {
      expect(await manager.webhooks.events.list()).toEqual(
        expect.arrayContaining(['token.created', 'token.expired', 'tenant.member.created', 'application.key.deleted']),
      );
    });
  });

  describe('webhooks.create', () => {
    it('returns an enabled webhook', async () => {
      const [target, notifyEmail] = [address(), 'ops@example.com'];
      const webhook = await create({ url: target, notifyEmail });
      expect(webhook).toMatchObject({
        id: aGuid,
        tenantId: aGuid,
        status: 'enabled',
        name: 'Receiver',
        url: target,
        notifyEmail,
        events: ['token.created'],
        createdBy: aGuid,
        createdAt: expect.any(Date) as Date,
      });
      await manager.webhooks.delete(webhook.id);
    });

    it('throws BadRequestError, and ForbiddenError for another kind of key', async () => {
      expect(await thrownBy(create({ events: ['token.eaten'] }))).toBeInstanceOf(errors.badRequest);
      expect(await thrownBy(create({ url: 'http://receiver.example.com/' }))).toBeInstanceOf(errors.badRequest);
      const settings = { name: 'Receiver', url: address(), events: ['token.created'] };
      expect(await thrownBy(backend.webhooks.create(settings))).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('webhooks.update', () => {
    it('replaces the settings', async () => {
      const { id } = await create();
      const target = address();
      const events = ['token.created', 'token.updated'];
      expect(await manager.webhooks.update(id, { name: 'Other', url: target, events })).toMatchObject({ id, events });
      expect(await manager.webhooks.get(id)).toMatchObject({ id, name: 'Other', url: target, events });
    });
  });

  describe('webhooks.list', () => {
    it('returns the newest first', async () => {
      const { id } = await create();
      const page = await manager.webhooks.list();
      expect(page.data[0]?.id).toBe(id);
      expect(page.pagination).toMatchObject({ pageSize: 20 });
    });
  });

  describe('webhooks.get', () => {
    it('returns the webhook', async () => {
      const { id } = await create();
      expect(await manager.webhooks.get(id)).toMatchObject({ id, name: 'Receiver' });
    });
  });

  describe('webhooks.delete', () => {
    it('deletes it, and throws NotFoundError after that', async () => {
      const { id } = await create();
      await manager.webhooks.delete(id);
      expect(await thrownBy(manager.webhooks.get(id))).toBeInstanceOf(errors.notFound);
      expect(await thrownBy(manager.webhooks.delete(id))).toBeInstanceOf(errors.notFound);
    });
  });
});

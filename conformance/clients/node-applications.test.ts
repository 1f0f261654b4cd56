import { describe, expect, inject, it } from 'vitest';
import { collect } from '../harness/collect.ts';
import { differs } from '../harness/differs.ts';
import { nodeClients } from '../harness/node-clients.ts';
import { thrownBy } from '../harness/thrown-by.ts';
import { untilRefused } from '../harness/until-refused.ts';
import { uuidV4 } from '../harness/value-forms.ts';

const { url, keys, tenantId } = inject('vault');

describe.each(nodeClients)('$name', ({ open, errors }) => {
  const client = open(keys.management, url);
  const strangers = open('nobody', url);
  const tokenKey = open(keys.private, url);
  const make = async (name = 'Checkout') => {
    const { id = '', key = '' } = await client.applications.create({
      name,
      type: 'private',
      permissions: ['token:create'],
    });
    return { id, key };
  };

  describe('applications.create', () => {
    it('returns the secret once, in both places', async () => {
      const made = await client.applications.create({ name: 'A', type: 'private', permissions: ['token:read'] });
      expect(made).toMatchObject({
        id: expect.stringMatching(uuidV4),
        tenantId,
        name: 'A',
        type: 'private',
        permissions: ['token:read'],
        createdAt: expect.any(Date),
      });
      expect(made.key).toMatch(/^key_test_pvt_[A-Za-z0-9_.]+$/);
      expect(made.keys?.[0]?.key).toBe(made.key);
      expect((await client.applications.get(made.id ?? '')).key).toBeUndefined();
    });

    it('accepts rules, and creates no key on request', async () => {
      const rule = {
        description: 'Cards',
        priority: 1,
        container: '/pci/',
        transform: 'reveal',
        permissions: ['token:read'],
      };
      const made = await client.applications.create({
        name: 'B',
        type: 'private',
        rules: [rule],
        createKey: false,
      });
      expect(made.rules).toMatchObject([rule]);
      expect(made.key).toBeUndefined();
      expect(made.keys).toEqual([]);
    });

    it('throws BadRequestError for a permission of another application type, UnauthorizedError and ForbiddenError', async () => {
      const request = { name: 'C', type: 'public', permissions: ['token:read'] };
      expect(await thrownBy(client.applications.create(request))).toBeInstanceOf(errors.badRequest);
      expect(await thrownBy(strangers.applications.create(request))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.applications.create(request))).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('applications.list', () => {
    it('paginates until an empty page, and filters by id', async () => {
      const made = [await make(), await make(), await make()].map(({ id }) => id);
      const listed = await collect(await client.applications.list({ id: made, size: 2 }));
      expect(listed.map(({ id }) => id)).toEqual(made.toReversed());
    });

    it('filters by type', async () => {
      await make();
      const listed = await collect(await client.applications.list({ type: ['private'], size: 100 }));
      expect(new Set(listed.map(({ type }) => type))).toEqual(new Set(['private']));
    });

    it('throws UnauthorizedError and ForbiddenError', async () => {
      expect(await thrownBy(strangers.applications.list())).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.applications.list())).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('applications.get', () => {
    it('returns an application', async () => {
      const { id } = await make('Shown');
      expect(await client.applications.get(id)).toMatchObject({ id, name: 'Shown' });
    });

    it('throws NotFoundError, UnauthorizedError and ForbiddenError', async () => {
      const { id } = await make();
      expect(await thrownBy(client.applications.get(crypto.randomUUID()))).toBeInstanceOf(errors.notFound);
      expect(await thrownBy(strangers.applications.get(id))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.applications.get(id))).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('applications.getByKey', () => {
    it('returns the application of the calling key', async () => {
      const { id, key } = await make();
      expect(await open(key, url).applications.getByKey()).toMatchObject({ id, type: 'private' });
    });

    it('throws UnauthorizedError', async () => {
      expect(await thrownBy(strangers.applications.getByKey())).toBeInstanceOf(errors.unauthorized);
    });
  });

  describe('applications.update', () => {
    it('replaces name and permissions', async () => {
      const { id } = await make();
      const updated = await client.applications.update(id, { name: 'New', permissions: ['token:use'] });
      expect(updated).toMatchObject({ id, name: 'New', permissions: ['token:use'], modifiedAt: expect.any(Date) });
    });

    it('accepts proxy:invoke as token:use', async () => {
      const { id } = await make();
      const updated = await client.applications.update(id, { name: 'New', permissions: ['proxy:invoke'] });
      expect(updated.permissions).toEqual(['token:use']);
    });

    it('throws BadRequestError for a rule that masks what token:use sends', async ({ task }) => {
      differs(task, 'token:use sends plaintext: sending a masked number to a payment provider is useless.');
      const { id } = await make();
      const rule = { description: 'x', priority: 1, container: '/', transform: 'mask', permissions: ['token:use'] };
      const request = { name: 'New', rules: [rule as never] };
      expect(await thrownBy(client.applications.update(id, request))).toBeInstanceOf(errors.badRequest);
    });

    it('throws BadRequestError, NotFoundError, UnauthorizedError and ForbiddenError', async () => {
      const { id } = await make();
      const request = { name: 'New', permissions: ['token:use'] };
      const bad = { name: 'New', permissions: ['log:read'] };
      expect(await thrownBy(client.applications.update(id, bad))).toBeInstanceOf(errors.badRequest);
      expect(await thrownBy(client.applications.update(crypto.randomUUID(), request))).toBeInstanceOf(errors.notFound);
      expect(await thrownBy(strangers.applications.update(id, request))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.applications.update(id, request))).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('applications.delete', () => {
    it('revokes its keys within a second', async () => {
      const { id, key } = await make();
      await client.applications.delete(id);
      expect(await untilRefused(() => open(key, url).applications.getByKey())).toBeInstanceOf(errors.unauthorized);
    });

    it('throws NotFoundError, UnauthorizedError and ForbiddenError', async () => {
      const { id } = await make();
      expect(await thrownBy(client.applications.delete(crypto.randomUUID()))).toBeInstanceOf(errors.notFound);
      expect(await thrownBy(strangers.applications.delete(id))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.applications.delete(id))).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('applicationKeys.create', () => {
    it('creates a second key that works', async () => {
      const { id } = await make();
      const made = await client.applicationKeys.create(id);
      expect(made).toMatchObject({ id: expect.stringMatching(uuidV4), createdAt: expect.any(Date) });
      expect((await open(made.key ?? '', url).applications.getByKey()).id).toBe(id);
    });

    it('throws UnauthorizedError, ForbiddenError and status 404', async () => {
      const { id } = await make();
      expect(await thrownBy(strangers.applicationKeys.create(id))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.applicationKeys.create(id))).toBeInstanceOf(errors.forbidden);
      const error = await thrownBy(client.applicationKeys.create(crypto.randomUUID()));
      expect(error).toMatchObject({ statusCode: 404 });
    });
  });

  describe('applicationKeys.list', () => {
    it('filters by id and by application type', async () => {
      const { id } = await make();
      const second = await client.applicationKeys.create(id);
      // Version 6 has another name for the first parameter.
      const byId = (ids: string[]) => ({ id: ids, keyId: ids });
      const list = async (request: { id?: string[]; type?: string | string[] }) =>
        (await client.applicationKeys.list(id, request)).map((key) => key.id);
      expect(await list({ ...byId([second.id ?? '', crypto.randomUUID()]), type: 'private' })).toEqual([second.id]);
      expect(await list(byId([crypto.randomUUID()]))).toEqual([]);
      expect(await list({ type: 'public' })).toEqual([]);
      expect(await list({ type: ['public', 'private'] })).toHaveLength(2);
    });

    it('lists keys without their secrets', async () => {
      const { id } = await make();
      const second = await client.applicationKeys.create(id);
      const listed = await client.applicationKeys.list(id);
      expect(listed).toHaveLength(2);
      expect(listed.map((key) => key.id)).toContain(second.id);
      expect(listed.map(({ key }) => key)).toEqual([undefined, undefined]);
    });

    it('throws NotFoundError, UnauthorizedError and ForbiddenError', async () => {
      const { id } = await make();
      expect(await thrownBy(client.applicationKeys.list(crypto.randomUUID()))).toBeInstanceOf(errors.notFound);
      expect(await thrownBy(strangers.applicationKeys.list(id))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.applicationKeys.list(id))).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('applicationKeys.get', () => {
    it('returns a key', async () => {
      const { id } = await make();
      const { id: keyId = '' } = await client.applicationKeys.create(id);
      expect(await client.applicationKeys.get(id, keyId)).toMatchObject({ id: keyId });
    });

    it('throws NotFoundError, UnauthorizedError and ForbiddenError', async () => {
      const { id } = await make();
      const none = crypto.randomUUID();
      expect(await thrownBy(client.applicationKeys.get(id, none))).toBeInstanceOf(errors.notFound);
      expect(await thrownBy(strangers.applicationKeys.get(id, none))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.applicationKeys.get(id, none))).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('applicationKeys.delete', () => {
    it('deletes one key and leaves the other', async () => {
      const { id, key } = await make();
      const made = await client.applicationKeys.create(id);
      await client.applicationKeys.delete(id, made.id ?? '');
      const second = open(made.key ?? '', url);
      expect(await untilRefused(() => second.applications.getByKey())).toBeInstanceOf(errors.unauthorized);
      expect((await open(key, url).applications.getByKey()).id).toBe(id);
    });

    it('throws NotFoundError, UnauthorizedError and ForbiddenError', async () => {
      const { id } = await make();
      const none = crypto.randomUUID();
      expect(await thrownBy(client.applicationKeys.delete(id, none))).toBeInstanceOf(errors.notFound);
      expect(await thrownBy(strangers.applicationKeys.delete(id, none))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.applicationKeys.delete(id, none))).toBeInstanceOf(errors.forbidden);
    });
  });
});

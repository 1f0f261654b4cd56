import { describe, expect, inject, it } from 'vitest';
import { nodeClients } from '../harness/node-clients.ts';
import { thrownBy } from '../harness/thrown-by.ts';

const { url, keys } = inject('vault');

describe.each(nodeClients)('$name', ({ open, errors }) => {
  const client = open(keys.management, url);
  const strangers = open('nobody', url);

  describe('permissions.list', () => {
    it('lists permissions, optionally of one application type', async () => {
      const all = await client.permissions.list();
      expect(all).toContainEqual({
        type: 'token:create',
        description: expect.any(String),
        applicationTypes: ['private', 'public'],
      });
      const ofPublic = await open(keys.public, url).permissions.list({ applicationType: 'public' });
      expect(ofPublic.map(({ type }) => type)).toEqual(['token:create', 'token:update', 'token-intent:create']);
    });

    it('throws UnauthorizedError', async () => {
      expect(await thrownBy(strangers.permissions.list())).toBeInstanceOf(errors.unauthorized);
    });
  });

  describe('roles.list', () => {
    it('lists the roles of members', async () => {
      expect(await client.roles.list()).toEqual([{ name: 'OWNER' }, { name: 'ADMIN' }, { name: 'READ_ONLY' }]);
    });

    it('throws UnauthorizedError', async () => {
      expect(await thrownBy(strangers.roles.list())).toBeInstanceOf(errors.unauthorized);
    });
  });

  describe('applicationTemplates.list', () => {
    it('lists application templates', async () => {
      const templates = await client.applicationTemplates.list();
      expect(templates.length).toBeGreaterThan(0);
      for (const { name = '', applicationType = '', permissions = [] } of templates) {
        const made = await client.applications.create({ name, type: applicationType, permissions });
        expect(made.permissions).toEqual(permissions);
      }
    });

    it('throws UnauthorizedError', async () => {
      expect(await thrownBy(strangers.applicationTemplates.list())).toBeInstanceOf(errors.unauthorized);
    });
  });

  describe('applicationTemplates.get', () => {
    it('returns one of the list', async () => {
      const [template] = await client.applicationTemplates.list();
      expect(await client.applicationTemplates.get(template?.id ?? '')).toEqual(template);
    });

    it('throws NotFoundError', async () => {
      expect(await thrownBy(client.applicationTemplates.get(crypto.randomUUID()))).toBeInstanceOf(errors.notFound);
    });
  });
});

import { describe, expect, inject, it } from 'vitest';
import { nodeClients } from '../harness/node-clients.ts';
import { thrownBy } from '../harness/thrown-by.ts';
import { uuidV4 } from '../harness/value-forms.ts';

const { url, keys } = inject('vault');
const settings = { name: 'Partner', destinationUrl: 'https://orders.example.com/cards' };
const mask = { type: 'mask', matcher: 'regex', expression: String.raw`(\d{12})\d{4}`, replacement: '*' };

describe.each(nodeClients)('$name', ({ open, errors }) => {
  const client = open(keys.management, url);
  const create = () =>
    client.proxies.create({ ...settings, responseTransform: mask, configuration: { KEY: 'secret' } });

  describe('proxies.create', () => {
    it('returns the proxy with its key, and without its secrets', async () => {
      const made = await create();
      expect(made.id).toMatch(uuidV4);
      expect(made).toMatchObject({ ...settings, requireAuth: true, key: expect.stringMatching(/^proxy_/) });
      expect(JSON.stringify(made)).not.toContain('secret');
    });

    it('throws BadRequestError for code', async () => {
      const request = { ...settings, requestTransform: { code: 'module.exports = () => 1' } };
      expect(await thrownBy(client.proxies.create(request))).toBeInstanceOf(errors.badRequest);
    });
  });

  describe('proxies.get', () => {
    it('returns the proxy', async () => {
      const { id = '', key } = await create();
      expect(await client.proxies.get(id)).toMatchObject({ id, key, ...settings });
    });
  });

  describe('proxies.list', () => {
    it('returns the proxies', async () => {
      const { id = '' } = await create();
      const { data } = await client.proxies.list({ id });
      expect(data.map((proxy) => proxy.id)).toEqual([id]);
    });
  });

  describe('proxies.update', () => {
    it('replaces the settings', async () => {
      const { id = '' } = await create();
      expect(await client.proxies.update(id, { ...settings, name: 'Other' })).toMatchObject({ id, name: 'Other' });
    });
  });

  describe('proxies.patch', () => {
    it('changes the settings', async () => {
      const { id = '' } = await create();
      await client.proxies.patch(id, { name: 'Third' });
      expect(await client.proxies.get(id)).toMatchObject({ name: 'Third' });
    });
  });

  describe('proxies.delete', () => {
    it('deletes it', async () => {
      const { id = '' } = await create();
      await client.proxies.delete(id);
      expect(await thrownBy(client.proxies.get(id))).toBeInstanceOf(errors.notFound);
    });
  });
});

import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type BrowserClient, browserClientName, openBrowserClient } from '../harness/browser-client.ts';
import { thrownBy } from '../harness/thrown-by.ts';
import { uuidV4 } from '../harness/value-forms.ts';

const { url, keys } = inject('vault');
const settings = { name: 'Partner', destinationUrl: 'https://orders.example.com/cards' };
let client: BrowserClient;
beforeAll(async () => {
  client = await openBrowserClient(keys.management, url);
});
const create = () => client.proxies.create({ ...settings, configuration: { KEY: 'secret' } });

describe(browserClientName, () => {
  describe('proxies.create', () => {
    it('returns the proxy with its key, and without its secrets', async () => {
      const made = await create();
      expect(made.id).toMatch(uuidV4);
      expect(made).toMatchObject({ ...settings, requireAuth: true, key: expect.stringMatching(/^proxy_/) });
      expect(JSON.stringify(made)).not.toContain('secret');
    });

    it('throws 400 for code', async () => {
      const request = { ...settings, requestTransform: { code: 'module.exports = () => 1' } };
      expect(await thrownBy(client.proxies.create(request))).toMatchObject({ status: 400 });
    });
  });

  describe('proxies.retrieve', () => {
    it('returns the proxy', async () => {
      const { id, key } = await create();
      expect(await client.proxies.retrieve(id)).toMatchObject({ id, key, ...settings });
    });
  });

  describe('proxies.list', () => {
    it('returns the proxies', async () => {
      const { id } = await create();
      const { data } = await client.proxies.list({ id });
      expect(data.map((proxy) => proxy.id)).toEqual([id]);
    });
  });

  describe('proxies.update', () => {
    it('replaces the settings', async () => {
      const { id } = await create();
      expect(await client.proxies.update(id, { ...settings, name: 'Other' })).toMatchObject({ id, name: 'Other' });
    });
  });

  describe('proxies.patch', () => {
    it('changes the settings', async () => {
      const { id } = await create();
      await client.proxies.patch(id, { name: 'Third' });
      expect(await client.proxies.retrieve(id)).toMatchObject({ name: 'Third' });
    });
  });

  describe('proxies.delete', () => {
    it('deletes it', async () => {
      const { id } = await create();
      await client.proxies.delete(id);
      expect(await thrownBy(client.proxies.retrieve(id))).toMatchObject({ status: 404 });
    });
  });
});

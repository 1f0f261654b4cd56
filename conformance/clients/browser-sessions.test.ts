import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type BrowserClient, browserClientName, openBrowserClient } from '../harness/browser-client.ts';
import { thrownBy } from '../harness/thrown-by.ts';
import { isoTimestamp, testCard } from '../harness/value-forms.ts';

const { url, keys } = inject('vault');
let page: BrowserClient;
let backend: BrowserClient;
beforeAll(async () => {
  page = await openBrowserClient(keys.public, url);
  backend = await openBrowserClient(keys.private, url);
});

describe(browserClientName, () => {
  describe('sessions.create', () => {
    it('creates a key without access', async () => {
      const session = await page.sessions.create();
      expect(session).toMatchObject({ nonce: expect.any(String), expiresAt: expect.stringMatching(isoTimestamp) });
      const early = page.tokens.create({ type: 'token', data: 'x' }, { apiKey: session.sessionKey });
      expect(await thrownBy(early)).toMatchObject({ status: 403 });
    });

    it('throws 403 for a key that is not public', async () => {
      expect(await thrownBy(backend.sessions.create())).toMatchObject({ status: 403 });
    });
  });

  describe('sessions.authorize', () => {
    it('lets the session do what its rules allow', async () => {
      const { sessionKey, nonce } = await page.sessions.create();
      await backend.sessions.authorize({
        nonce,
        rules: [
          {
            description: 'Cards',
            priority: 1,
            conditions: [{ attribute: 'container', operator: 'starts_with', value: '/pci/' }],
            transform: 'mask',
            permissions: ['token:create'],
          },
        ],
      });
      await page.tokens.create({ type: 'card', data: testCard }, { apiKey: sessionKey });
      const elsewhere = page.tokens.create({ type: 'token', data: 'x' }, { apiKey: sessionKey });
      expect(await thrownBy(elsewhere)).toMatchObject({ status: 403 });
    });

    it('throws 400, 403, 404 and 409', async () => {
      const { nonce } = await page.sessions.create();
      const permissions = ['token:create'];
      expect(await thrownBy(backend.sessions.authorize({ nonce }))).toMatchObject({ status: 400 });
      expect(await thrownBy(page.sessions.authorize({ nonce, permissions }))).toMatchObject({ status: 403 });
      expect(await thrownBy(backend.sessions.authorize({ nonce: 'none', permissions }))).toMatchObject({ status: 404 });
      await backend.sessions.authorize({ nonce, permissions });
      expect(await thrownBy(backend.sessions.authorize({ nonce, permissions }))).toMatchObject({ status: 409 });
    });
  });
});

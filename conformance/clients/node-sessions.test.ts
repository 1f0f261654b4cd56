import { describe, expect, inject, it } from 'vitest';
import { differs } from '../harness/differs.ts';
import { nodeClients } from '../harness/node-clients.ts';
import { thrownBy } from '../harness/thrown-by.ts';
import { maskedCard, testCard } from '../harness/value-forms.ts';

const { url, keys } = inject('vault');

describe.each(nodeClients)('$name', ({ open, errors }) => {
  const page = open(keys.public, url);
  const backend = open(keys.private, url);

  describe('sessions.create', () => {
    it('creates a key without access, valid for three minutes', async () => {
      const before = Date.now();
      const { sessionKey = '', nonce, expiresAt = new Date(0) } = await page.sessions.create();
      expect(nonce).toEqual(expect.any(String));
      expect(expiresAt.getTime() - before).toBeGreaterThan(175_000);
      expect(expiresAt.getTime() - before).toBeLessThan(185_000);
      const early = open(sessionKey, url).tokens.create({ type: 'card', data: testCard });
      expect(await thrownBy(early)).toBeInstanceOf(errors.forbidden);
    });

    it('throws UnauthorizedError, and ForbiddenError for a key that is not public', async () => {
      expect(await thrownBy(open('nobody', url).sessions.create())).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(backend.sessions.create())).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('sessions.authorize', () => {
    it('lets the session do what its rules allow, with an empty response', async () => {
      const { sessionKey = '', nonce = '' } = await page.sessions.create();
      const expiresAt = new Date(Date.now() + 60_000).toISOString();
      const rules = [
        { description: 'Cards', priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:create'] },
      ] as const;
      const answer = await backend.sessions.authorize({
        nonce,
        expiresAt,
        rules: rules.map((rule) => ({ ...rule, permissions: [...rule.permissions] })),
      });
      expect(answer).toBeUndefined();
      const session = open(sessionKey, url);
      expect((await session.tokens.create({ type: 'card', data: testCard })).data).toEqual(maskedCard);
      expect(await thrownBy(session.tokens.create({ type: 'token', data: 'x' }))).toBeInstanceOf(errors.forbidden);
    });

    it('throws ForbiddenError for more access than the authorizing application has', async ({ task }) => {
      differs(
        task,
        'A key cannot grant access that it does not have: authorizing a session with more is rejected immediately, and removing access from the key removes it from its sessions.',
      );
      const { key = '' } = await open(keys.management, url).applications.create({
        name: 'Creates only',
        type: 'private',
        permissions: ['token:create'],
      });
      const { sessionKey = '', nonce = '' } = await page.sessions.create();
      const more = open(key, url).sessions.authorize({ nonce, permissions: ['token:create', 'token:read'] });
      expect(await thrownBy(more)).toBeInstanceOf(errors.forbidden);
      await open(key, url).sessions.authorize({ nonce, permissions: ['token:create'] });
      const { id = '' } = await open(sessionKey, url).tokens.create({ type: 'token', data: 'x' });
      expect(await thrownBy(open(sessionKey, url).tokens.get(id))).toBeInstanceOf(errors.forbidden);
    });

    it('accepts plain permissions', async () => {
      const { sessionKey = '', nonce = '' } = await page.sessions.create();
      await backend.sessions.authorize({ nonce, permissions: ['token:create'] });
      await open(sessionKey, url).tokens.create({ type: 'token', data: 'x' });
    });

    it('throws BadRequestError without a grant, NotFoundError for an unknown nonce and ConflictError for a used one', async () => {
      const { nonce = '' } = await page.sessions.create();
      const permissions = ['token:create'];
      expect(await thrownBy(backend.sessions.authorize({ nonce }))).toBeInstanceOf(errors.badRequest);
      expect(await thrownBy(backend.sessions.authorize({ nonce: crypto.randomUUID(), permissions }))).toBeInstanceOf(
        errors.notFound,
      );
      await backend.sessions.authorize({ nonce, permissions });
      expect(await thrownBy(backend.sessions.authorize({ nonce, permissions }))).toBeInstanceOf(errors.conflict);
    });

    it('throws UnauthorizedError, and ForbiddenError for a public key', async () => {
      const { nonce = '' } = await page.sessions.create();
      const request = { nonce, permissions: ['token:create'] };
      expect(await thrownBy(open('nobody', url).sessions.authorize(request))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(page.sessions.authorize(request))).toBeInstanceOf(errors.forbidden);
    });
  });
});

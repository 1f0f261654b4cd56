import { describe, expect, inject, it } from 'vitest';
import { encryptForVault } from '../../server/test/harness/client-encryption.ts';
import { nodeClients } from '../harness/node-clients.ts';
import { thrownBy } from '../harness/thrown-by.ts';
import { maskedCard, testCard, uuidV4 } from '../harness/value-forms.ts';

const { url, keys } = inject('vault');

/** The oldest client is from before client keys. */
const clients = nodeClients.filter(({ open }) => 'keys' in Object.getPrototypeOf(open(keys.management, url)));

describe.each(clients)('$name', ({ open, errors }) => {
  const manager = open(keys.management, url);
  const backend = open(keys.private, url);
  const create = async () => {
    const { keyId = '', publicKeyPem = '', expiresAt } = await manager.keys.create();
    return { keyId, publicKeyPem, expiresAt };
  };

  describe('keys.create', () => {
    it('returns the public half of a key pair that is valid for a year', async () => {
      const { keyId, publicKeyPem, expiresAt = new Date(0) } = await create();
      expect(keyId).toMatch(uuidV4);
      expect(publicKeyPem).toMatch(/^-----BEGIN PUBLIC KEY-----\n.{44}\n-----END PUBLIC KEY-----$/);
      expect(expiresAt.getTime()).toBeGreaterThan(Date.now() + 364 * 24 * 3_600_000);
    });

    it('takes an expiry, and throws BadRequestError for one after more than a year', async () => {
      const soon = new Date(Date.now() + 3_600_000);
      expect((await manager.keys.create({ expiresAt: soon })).expiresAt).toEqual(soon);
      const late = new Date(Date.now() + 500 * 24 * 3_600_000);
      expect(await thrownBy(manager.keys.create({ expiresAt: late }))).toBeInstanceOf(errors.badRequest);
    });

    it('creates a key with which clients encrypt tokens', async () => {
      const { keyId, publicKeyPem } = await create();
      const encrypted = encryptForVault(JSON.stringify(testCard), { key_id: keyId, public_key_pem: publicKeyPem });
      expect((await backend.tokens.create({ type: 'card', encrypted })).data).toEqual(maskedCard);
    });

    it('throws ForbiddenError for keys of private applications', async () => {
      expect(await thrownBy(backend.keys.create())).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('keys.list', () => {
    it('contains the new key', async () => {
      const { keyId } = await create();
      expect((await manager.keys.list()).map((key) => key.keyId)).toContain(keyId);
    });
  });

  describe('keys.get', () => {
    it('returns the key', async () => {
      const { keyId, expiresAt } = await create();
      expect(await manager.keys.get(keyId)).toMatchObject({ keyId, expiresAt });
    });
  });

  describe('keys.delete', () => {
    it('deletes the key, and keys.get throws NotFoundError', async () => {
      const { keyId } = await create();
      await manager.keys.delete(keyId);
      expect(await thrownBy(manager.keys.get(keyId))).toBeInstanceOf(errors.notFound);
    });
  });
});

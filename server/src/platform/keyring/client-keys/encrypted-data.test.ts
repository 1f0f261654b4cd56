import { describe, expect, it } from 'vitest';
import { CompactEncrypt, importJWK } from 'jose';
import { encryptForVault } from '../../../../test/harness/client-encryption.ts';
import { createClientKeyPair, parsePrivateKey } from './client-key-pair.ts';
import { decryptData, parseEncryptedData } from './encrypted-data.ts';

const kid = '4f1d6b32-8a05-4c7e-9e3b-d2a6f0c81b57';
const pair = await createClientKeyPair();
const key = { key_id: kid, public_key_pem: pair.publicKeyPem };
const privateKey = parsePrivateKey(pair.privateKey);
const other = parsePrivateKey((await createClientKeyPair()).privateKey);
const text = '{"number":"4242424242424242"}';

async function open(encrypted: string, under = privateKey): Promise<string | undefined> {
  const data = parseEncryptedData(encrypted);
  return data === undefined ? undefined : (await decryptData(data, under))?.reveal();
}

describe('encrypted data', () => {
  it('is opened as the published clients write it', async () => {
    expect(pair.publicKeyPem).toMatch(/^-----BEGIN PUBLIC KEY-----\n[A-Za-z0-9+/]{43}=\n-----END PUBLIC KEY-----$/);
    expect(await open(encryptForVault(text, key))).toBe(text);
    expect(await open(encryptForVault('Zoë 😀', key, { typ: 'JWE', cty: 'json' }))).toBe('Zoë 😀');
  });

  it('is opened as a JOSE library writes it', async () => {
    const x = Buffer.from(pair.publicKeyPem.split('\n')[1] ?? '', 'base64').toString('base64url');
    const publicKey = await importJWK({ kty: 'OKP', crv: 'X25519', x }, 'ECDH-ES');
    const encrypted = await new CompactEncrypt(Buffer.from(text))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid })
      .encrypt(publicKey);
    expect(await open(encrypted)).toBe(text);
  });

  it('is refused under another key', async () => {
    expect(await open(encryptForVault(text, key), other)).toBeUndefined();
  });

  it('is refused with any bit flipped', async () => {
    const encrypted = Buffer.from(encryptForVault(text, key), 'ascii');
    const accepted: string[] = [];
    for (let at = 0; at < encrypted.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const flipped = Buffer.from(encrypted);
        flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << bit), at);
        if ((await open(flipped.toString('latin1'))) !== undefined) accepted.push(`${at}.${bit}`);
      }
    }
    expect(accepted).toEqual([]);
  });

  it.each([
    { alg: 'RSA-OAEP-256' },
    { alg: 'ECDH-ES+A256KW' },
    { alg: 'dir' },
    { alg: 'none' },
    { alg: undefined },
    { enc: 'A128GCM' },
    { enc: 'A256CBC-HS512' },
    { enc: undefined },
    { zip: 'DEF' },
    { crit: ['exp'], exp: 1 },
    { apu: 'YQ' },
    { jwk: {} },
    { jku: 'https://keys.example' },
    { kid: undefined },
    { kid: 'one' },
    { kid: 7 },
    { epk: undefined },
    { epk: { kty: 'OKP', crv: 'X25519' } },
    { epk: { kty: 'OKP', crv: 'X448', x: 'A'.repeat(43) } },
    { epk: { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) } },
    { epk: { kty: 'OKP', crv: 'X25519', x: 'A'.repeat(43), d: 'A'.repeat(43) } },
    // These two points have a low order, so that the agreed key would be all zeros.
    { epk: { kty: 'OKP', crv: 'X25519', x: Buffer.alloc(32).toString('base64url') } },
    { epk: { kty: 'OKP', crv: 'X25519', x: Buffer.concat([Buffer.of(1), Buffer.alloc(31)]).toString('base64url') } },
  ])('is refused with %j in its header', async (changes) => {
    expect(await open(encryptForVault(text, key, changes))).toBeUndefined();
  });

  it.each<[string, (parts: string[]) => string[]]>([
    ['four parts', (parts) => parts.slice(0, 4)],
    ['six parts', (parts) => [...parts, '']],
    ['an encrypted key', (parts) => parts.with(1, 'AAAA')],
    ['a short nonce', (parts) => parts.with(2, 'AAAAAAAAAAA')],
    ['a short tag', (parts) => parts.with(4, (parts[4] ?? '').slice(0, 6))],
    ['padding', (parts) => parts.with(4, `${parts[4]}==`)],
    ['a line end', (parts) => parts.with(3, `${parts[3]}\n`)],
    ['the other alphabet', (parts) => parts.with(3, 'ab+/')],
    [
      'two members with one name',
      (parts) => parts.with(0, Buffer.from('{"alg":"dir","alg":"ECDH-ES"}').toString('base64url')),
    ],
    ['a header that is no object', (parts) => parts.with(0, Buffer.from('7').toString('base64url'))],
    ['a long header', (parts) => parts.with(0, 'A'.repeat(2_000))],
  ])('is refused with %s', async (_name, change) => {
    expect(await open(change(encryptForVault(text, key).split('.')).join('.'))).toBeUndefined();
  });
});

import { compactDecrypt, decodeProtectedHeader } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readEncryption, requireKeyOfVault } from './encrypt-call.ts';
import { bytesOf, encryptText } from './encrypt-data.ts';

const id = '0b1c8f0e-6d5c-4a52-9d0a-5f0f5a3f5c11';

async function makeKey() {
  const pair = await crypto.subtle.generateKey('X25519', true, ['deriveBits']);
  const raw = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey));
  const pem = `-----BEGIN PUBLIC KEY-----\n${btoa(String.fromCharCode(...raw))}\n-----END PUBLIC KEY-----`;
  return { pem, privateKey: pair.privateKey };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('encryptText', () => {
  it('writes a JWE that the private key opens, and no other', async () => {
    const { pem, privateKey } = await makeKey();
    const text = JSON.stringify({ number: '4242424242424242', name: 'Zoë' });
    const jwe = await encryptText(text, { id, pem });
    expect(decodeProtectedHeader(jwe)).toMatchObject({ alg: 'ECDH-ES', enc: 'A256GCM', kid: id });
    const { plaintext } = await compactDecrypt(jwe, privateKey);
    expect(new TextDecoder().decode(plaintext)).toBe(text);
    await expect(compactDecrypt(jwe, (await makeKey()).privateKey)).rejects.toThrow();
  });

  it('never uses a key or a nonce twice', async () => {
    const { pem } = await makeKey();
    const [first = '', second = ''] = await Promise.all([1, 2].map(() => encryptText('x', { id, pem })));
    const [header, , nonce] = first.split('.');
    expect(second.split('.')).not.toContain(header);
    expect(second.split('.')).not.toContain(nonce);
  });
});

describe('the key of tokens.encrypt', () => {
  const answer = (body: unknown) => vi.stubGlobal('fetch', async () => Response.json(body));

  it('is one of the vault, however its lines are broken', async () => {
    const { pem } = await makeKey();
    answer({ public_key_pem: pem });
    await requireKeyOfVault({ id, pem: pem.replaceAll('\n', '\r\n') }, 'page');
  });

  it('is not one of the page, which could decrypt what was typed', async () => {
    const { pem } = await makeKey();
    for (const known of [(await makeKey()).pem, null, '', 42]) {
      answer({ public_key_pem: known });
      await expect(requireKeyOfVault({ id, pem }, 'page')).rejects.toThrow('not that of a client key');
    }
  });
});

describe('readEncryption', () => {
  const pem = `-----BEGIN PUBLIC KEY-----\n${btoa('x'.repeat(32))}\n-----END PUBLIC KEY-----`;
  const read = (members: object) =>
    readEncryption({ service: 'tokens.encrypt', payload: { public_key_pem: pem, key_id: id, ...members } });

  it('takes one request, or several with names', () => {
    expect(read({ token_requests: { type: 'card', data: {} } }).isSingle).toBe(true);
    expect(read({ token_requests: { a: { type: 'card', data: {} } } }).isSingle).toBe(false);
    expect(bytesOf(pem)).toHaveLength(32);
  });

  it.each([
    ['no request', { token_requests: {} }],
    ['a request without a type', { token_requests: { a: { data: 'x' } } }],
    ['a type from a field', { token_requests: { a: { type: { $element: '1' }, data: 'x' } } }],
    ['another member', { token_requests: { type: 'card', data: 'x', id: 'y' } }],
    ['a key of another length', { token_requests: { type: 'card', data: 'x' }, public_key_pem: btoa('short') }],
    ['an id that is none', { token_requests: { type: 'card', data: 'x' }, key_id: '../tokens' }],
  ])('refuses %s', (_name, members) => {
    expect(() => read(members)).toThrow();
  });
});

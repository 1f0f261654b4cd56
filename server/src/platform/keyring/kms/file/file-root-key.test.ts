import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { context, otherContexts } from '../../../../../test/harness/key-services/wrap-contexts.ts';
import { FileRootKey, generateRootKey, parseRootKey } from './file-root-key.ts';
import { RootKeyMismatch } from '../root-key.ts';

const bytes = randomBytes(32);
const rootKey = new FileRootKey(bytes);

describe('FileRootKey', () => {
  it('gives back the key that was wrapped, after a restart too', async () => {
    const key = randomBytes(32);
    const wrapped = await rootKey.wrap(key, context);
    expect(await rootKey.unwrap(wrapped, context)).toEqual(key);
    expect(await new FileRootKey(bytes).unwrap(wrapped, context)).toEqual(key);
  });

  it('writes format, nonce, ciphertext and tag and nothing of the key', async () => {
    const key = randomBytes(32);
    const wrapped = await rootKey.wrap(key, context);
    expect(wrapped).toHaveLength(1 + 12 + 32 + 16);
    expect(wrapped[0]).toBe(1);
    expect(wrapped.includes(key.subarray(0, 8))).toBe(false);
  });

  it('never uses a nonce twice', async () => {
    const wrapped = await Promise.all(Array.from({ length: 200 }, () => rootKey.wrap(bytes, context)));
    expect(new Set(wrapped.map((one) => one.toString('hex', 1, 13))).size).toBe(200);
  });

  it('refuses what another root key wrapped', async () => {
    const wrapped = await new FileRootKey(randomBytes(32)).wrap(randomBytes(32), context);
    await expect(rootKey.unwrap(wrapped, context)).rejects.toThrow(RootKeyMismatch);
  });

  it.each(otherContexts)('refuses a wrapped key of another %s', async (_, other) => {
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    await expect(rootKey.unwrap(wrapped, other)).rejects.toThrow(RootKeyMismatch);
  });

  it('refuses a wrapped key with any bit changed', async () => {
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    for (let bit = 0; bit < wrapped.length * 8; bit += 1) {
      const changed = Buffer.from(wrapped);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      await expect(rootKey.unwrap(changed, context)).rejects.toThrow(RootKeyMismatch);
    }
  });

  it('refuses a wrapped key that is shorter or longer', async () => {
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    for (let length = 0; length < wrapped.length; length += 1) {
      await expect(rootKey.unwrap(wrapped.subarray(0, length), context)).rejects.toThrow(RootKeyMismatch);
    }
    await expect(rootKey.unwrap(Buffer.concat([wrapped, Buffer.alloc(1)]), context)).rejects.toThrow(RootKeyMismatch);
  });

  it.each([0, 16, 31, 33, 64])('wraps no key of %i bytes, which it could not unwrap', async (length) => {
    await expect(rootKey.wrap(Buffer.alloc(length), context)).rejects.toThrow(TypeError);
  });

  it.each([0, 16, 31, 33, 64])('is not made of %i bytes', (length) => {
    expect(() => new FileRootKey(Buffer.alloc(length))).toThrow(TypeError);
  });
});

describe('the id', () => {
  it('is the same for the same key and another for a key that differs in one bit', () => {
    const neighbour = Buffer.from(bytes);
    neighbour.writeUInt8(neighbour.readUInt8(31) ^ 1, 31);
    expect(new FileRootKey(Buffer.from(bytes)).id).toBe(rootKey.id);
    expect(new FileRootKey(neighbour).id).not.toBe(rootKey.id);
  });

  it('stays what it was in the first release: databases hold it', () => {
    expect(new FileRootKey(Buffer.alloc(32)).id).toBe('file:6340278786164556');
  });

  it('shows nothing of the key, and no plain hash of it either', () => {
    const shown = rootKey.id.slice('file:'.length);
    expect(shown).toMatch(/^[0-9a-f]{16}$/);
    expect(bytes.toString('hex')).not.toContain(shown);
    expect(createHash('sha256').update(bytes).digest('hex')).not.toContain(shown);
  });

  it('keeps the key out of what is printed', () => {
    expect(JSON.stringify(rootKey)).toBe(JSON.stringify({ id: rootKey.id }));
  });
});

describe('parseRootKey', () => {
  it.each([
    ['base64', bytes.toString('base64')],
    ['hexadecimal', bytes.toString('hex')],
    ['hexadecimal in capitals', bytes.toString('hex').toUpperCase()],
    ['base64 with the line end of a file', `${bytes.toString('base64')}\n`],
    ['hexadecimal between blanks', `  ${bytes.toString('hex')}\r\n`],
  ])('reads %s', (_, text) => {
    expect(parseRootKey(text)).toEqual(bytes);
  });

  it('reads what generateRootKey wrote, which is another every time', () => {
    const generated = Array.from({ length: 100 }, generateRootKey);
    expect(new Set(generated).size).toBe(100);
    expect(generated.every((text) => parseRootKey(text)?.length === 32)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \n '],
    ['a password', 'correct horse battery staple'],
    ['31 bytes of base64', Buffer.alloc(31, 1).toString('base64')],
    ['33 bytes of base64', Buffer.alloc(33, 1).toString('base64')],
    ['31 bytes of hexadecimal', Buffer.alloc(31, 1).toString('hex')],
    ['33 bytes of hexadecimal', Buffer.alloc(33, 1).toString('hex')],
    ['hexadecimal with a letter that is none', `${'0'.repeat(63)}g`],
    ['base64 without its padding', bytes.toString('base64').slice(0, -1)],
    ['base64 for addresses', Buffer.alloc(32, 255).toString('base64url')],
    ['base64 with a blank inside', ` ${'A'.repeat(20)} ${'A'.repeat(22)}=`],
    ['two keys', `${bytes.toString('base64')}\n${bytes.toString('base64')}`],
    ['a prefix', `0x${bytes.toString('hex')}`],
  ])('refuses %s', (_, text) => {
    expect(parseRootKey(text)).toBeUndefined();
  });
});

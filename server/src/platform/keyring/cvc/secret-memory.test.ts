import { describe, expect, it } from 'vitest';
import { makeSecret, moveSecret, secretLength } from './secret-memory.ts';

describe('makeSecret', () => {
  it('gives other bytes every time, in memory that nothing else shares', () => {
    const secrets = Array.from({ length: 100 }, () => makeSecret());
    expect(new Set(secrets.map((secret) => secret.toString('hex'))).size).toBe(100);
    expect(new Set(secrets.map((secret) => secret.buffer)).size).toBe(100);
    for (const secret of secrets) expect(secret.buffer.byteLength).toBe(secretLength);
  });
});

describe('moveSecret', () => {
  it('leaves zeros where the secret was', () => {
    const message = Buffer.alloc(40, 7);
    const secret = moveSecret(message.subarray(8));
    expect(secret).toEqual(Buffer.alloc(32, 7));
    expect(message).toEqual(Buffer.concat([Buffer.alloc(8, 7), Buffer.alloc(32)]));
    expect(secret.buffer).not.toBe(message.buffer);
  });

  it.each([0, 31, 33])('refuses %i bytes', (length) => {
    expect(() => moveSecret(Buffer.alloc(length))).toThrow(TypeError);
  });
});

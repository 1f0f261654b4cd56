import { beforeEach, describe, expect, it } from 'vitest';
import { leadMs } from './epoch.ts';
import { ReceiveKeys, receiveMs } from './receive-keys.ts';

const zeros = Buffer.alloc(32);
let keys: ReceiveKeys;

beforeEach(() => {
  keys = new ReceiveKeys();
  keys.advance(0);
});

describe('ReceiveKeys', () => {
  it('has none before the first advance', () => {
    expect(() => new ReceiveKeys().newest).toThrow('before start or after stop');
    expect(new ReceiveKeys().nextDueAt).toBe(Number.NEGATIVE_INFINITY);
  });

  it('makes the successor ahead, and takes messages for both until the old one dies', () => {
    const first = keys.newest;
    expect(keys.nextDueAt).toBe(receiveMs - leadMs);
    expect(keys.advance(receiveMs - leadMs - 1)).toBe(false);
    expect(keys.advance(receiveMs - leadMs)).toBe(true);
    const second = keys.newest;
    expect(second.publicKey).not.toEqual(first.publicKey);
    expect(keys.nextDueAt).toBe(receiveMs);
    expect(keys.find(first.publicKey, receiveMs - 1)).toBeDefined();
    expect(keys.find(second.publicKey, receiveMs - 1)).toBeDefined();
    // Not found at its time, though nobody has come to destroy it.
    expect(keys.find(first.publicKey, receiveMs)).toBeUndefined();
    expect(first.secret).not.toEqual(zeros);
    expect(keys.advance(receiveMs)).toBe(false);
    expect(first.secret).toEqual(zeros);
    expect(second.secret).not.toEqual(zeros);
  });

  it('lets a key die with the first epoch that came through it', () => {
    const key = keys.newest;
    keys.endBy(key, 200_000);
    keys.endBy(key, 100_000);
    keys.endBy(key, 300_000);
    expect(keys.nextDueAt).toBe(100_000 - leadMs);
    expect(keys.advance(100_000 - leadMs)).toBe(true);
    expect(keys.find(key.publicKey, 99_999)).toBeDefined();
    keys.advance(100_000);
    expect(key.secret).toEqual(zeros);
    expect(keys.find(key.publicKey, 0)).toBeUndefined();
  });

  it('never lives longer because of what came through it', () => {
    keys.endBy(keys.newest, 10 * receiveMs);
    expect(keys.newest.diesAt).toBe(receiveMs);
  });

  it('keeps few keys, however often they have to end', () => {
    const made = [];
    for (let now = 0; now < 100; now += 1) {
      made.push(keys.newest);
      keys.endBy(keys.newest, now + leadMs);
      keys.advance(now);
    }
    const alive = made.filter(({ secret }) => !secret.equals(zeros));
    expect(alive.length).toBeLessThan(8);
  });

  it('knows no key that it did not make', () => {
    expect(keys.find(Buffer.alloc(32, 1), 0)).toBeUndefined();
    expect(keys.find(Buffer.alloc(0), 0)).toBeUndefined();
  });

  it('wipes everything at the end', () => {
    const { secret } = keys.newest;
    keys.destroyAll();
    expect(secret).toEqual(zeros);
    expect(() => keys.newest).toThrow('before start or after stop');
  });
});

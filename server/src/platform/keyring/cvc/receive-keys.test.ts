import { beforeEach, describe, expect, it } from 'vitest';
import { leadMs } from './epoch.ts';
import { keyLifeMs, ReceiveKeys, receiveMs } from './receive-keys.ts';

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
    expect(keys.nextDueAt).toBe(keyLifeMs - leadMs);
    expect(keys.advance(keyLifeMs - leadMs - 1)).toBe(false);
    expect(keys.advance(keyLifeMs - leadMs)).toBe(true);
    const second = keys.newest;
    expect(second.publicKey).not.toEqual(first.publicKey);
    expect(keys.nextDueAt).toBe(keyLifeMs);
    expect(keys.find(first.publicKey, keyLifeMs - 1)).toBeDefined();
    expect(keys.find(second.publicKey, keyLifeMs - 1)).toBeDefined();
    // An expired key is not found, even if it has not been destroyed yet.
    expect(keys.find(first.publicKey, keyLifeMs)).toBeUndefined();
    expect(first.secret).not.toEqual(zeros);
    expect(keys.advance(keyLifeMs)).toBe(false);
    expect(first.secret).toEqual(zeros);
    expect(second.secret).not.toEqual(zeros);
  });

  it('says when the key dies in the only way that others know: an age at which every key is dead', () => {
    expect(keys.newest.diesAt).toBe(keyLifeMs);
    expect(keys.newest.bornAt + receiveMs).toBe(keys.newest.diesAt);
  });

  it('lets a key die with the first epoch that came through it', () => {
    const key = keys.newest;
    keys.endBy(key, 80_000);
    keys.endBy(key, 70_000);
    keys.endBy(key, 85_000);
    expect(keys.nextDueAt).toBe(70_000 - leadMs);
    expect(keys.advance(70_000 - leadMs)).toBe(true);
    expect(keys.find(key.publicKey, 69_999)).toBeDefined();
    keys.advance(70_000);
    expect(key.secret).toEqual(zeros);
    expect(keys.find(key.publicKey, 0)).toBeUndefined();
  });

  it('never lives longer because of what came through it', () => {
    keys.endBy(keys.newest, 10 * keyLifeMs);
    expect(keys.newest.diesAt).toBe(keyLifeMs);
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

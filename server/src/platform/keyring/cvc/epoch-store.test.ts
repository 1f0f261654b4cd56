import { describe, expect, it } from 'vitest';
import type { Epoch } from './epoch.ts';
import { EpochStore, foreignEpochsMax } from './epoch-store.ts';
import { makeSecret } from './secret-memory.ts';

const zeros = Buffer.alloc(32);
const epochOf = (id: number, endsAt: number): Epoch => ({ id, endsAt, secret: makeSecret() });

describe('EpochStore', () => {
  it('finds an epoch until the moment it ends', () => {
    const store = new EpochStore();
    const epoch = epochOf(7, 100);
    store.addOwn(epoch);
    expect(store.find(7, 99)?.secret).toBe(epoch.secret);
    expect(store.find(7, 100)).toBeUndefined();
    expect(store.find(8, 0)).toBeUndefined();
    expect(store.list(99)).toHaveLength(1);
    expect(store.list(100)).toHaveLength(0);
  });

  it('wipes what has ended and nothing else', () => {
    const store = new EpochStore();
    const [ended, alive, foreign] = [epochOf(1, 100), epochOf(2, 101), epochOf(3, 50)];
    store.addOwn(ended);
    store.addOwn(alive);
    store.addForeign(foreign);
    expect(store.nextEndAt).toBe(50);
    expect(new Set(store.destroyEnded(100))).toEqual(new Set([1, 3]));
    expect([ended.secret, foreign.secret]).toEqual([zeros, zeros]);
    expect(alive.secret).not.toEqual(zeros);
    expect(store.nextEndAt).toBe(101);
    expect([store.has(1), store.has(2), store.has(3)]).toEqual([false, true, false]);
  });

  it('keeps the first of two with one id, and its end', () => {
    const store = new EpochStore();
    const [own, foreign] = [epochOf(1, 100), epochOf(2, 100)];
    store.addOwn(own);
    store.addForeign(foreign);
    const intruders = [epochOf(1, 999), epochOf(2, 999)];
    for (const intruder of intruders) store.addForeign(intruder);
    expect(store.find(1, 0)?.secret).toBe(own.secret);
    expect(store.find(2, 0)?.secret).toBe(foreign.secret);
    expect(store.find(1, 100)).toBeUndefined();
    expect(store.find(2, 100)).toBeUndefined();
    for (const { secret } of intruders) expect(secret).toEqual(zeros);
    expect(() => store.addOwn(epochOf(2, 100))).toThrow('used twice');
  });

  it('tells its own from the others', () => {
    const store = new EpochStore();
    store.addOwn(epochOf(1, 100));
    store.addForeign(epochOf(2, 100));
    expect(store.listOwn(0).map(({ id }) => id)).toEqual([1]);
    expect(store.listOwn(100)).toEqual([]);
  });

  it('gives up the one that ends first when there are too many, and never one of its own', () => {
    const store = new EpochStore();
    store.addOwn(epochOf(1_000_000, 1));
    const soonest = epochOf(1, 10);
    store.addForeign(soonest);
    for (let id = 2; id <= foreignEpochsMax; id += 1) store.addForeign(epochOf(id, 100));
    expect(store.size).toBe(foreignEpochsMax + 1);
    expect(store.has(1)).toBe(true);
    for (let id = 5_000; id < 7_000; id += 1) store.addForeign(epochOf(id, 200));
    expect(store.size).toBe(foreignEpochsMax + 1);
    expect(soonest.secret).toEqual(zeros);
    expect(store.has(1_000_000)).toBe(true);
    expect(store.has(6_999)).toBe(true);
  });

  it('has room again when epochs have ended', () => {
    const store = new EpochStore();
    for (let id = 0; id < foreignEpochsMax; id += 1) store.addForeign(epochOf(id, 10));
    store.destroyEnded(10);
    for (let id = 0; id < foreignEpochsMax; id += 1) store.addForeign(epochOf(id, 20));
    expect(store.size).toBe(foreignEpochsMax);
  });

  it('wipes everything at the end', () => {
    const store = new EpochStore();
    const epochs = [epochOf(1, 100), epochOf(2, 100)];
    store.addOwn({ id: 1, endsAt: 100, secret: epochs[0]?.secret ?? zeros });
    store.addForeign({ id: 2, endsAt: 100, secret: epochs[1]?.secret ?? zeros });
    store.destroyAll();
    for (const { secret } of epochs) expect(secret).toEqual(zeros);
    expect(store.size).toBe(0);
    expect(store.nextEndAt).toBe(Number.POSITIVE_INFINITY);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { leadMs, lifeMs, sealMs } from './epoch.ts';
import { EpochStore } from './epoch-store.ts';
import { OwnEpochs } from './own-epochs.ts';

let store: EpochStore;
let own: OwnEpochs;

beforeEach(() => {
  store = new EpochStore();
  own = new OwnEpochs(store);
});

describe('OwnEpochs', () => {
  it('has nothing to seal with before it was advanced and after it was stopped', () => {
    expect(() => own.current).toThrow('before start or after stop');
    expect(own.nextDueAt).toBe(Number.NEGATIVE_INFINITY);
    own.advance(0);
    expect(own.current.endsAt).toBe(lifeMs);
    own.stop();
    expect(() => own.current).toThrow('before start or after stop');
  });

  it('makes the next epoch before its turn, once, and turns in time', () => {
    const [first] = own.advance(0);
    expect(own.nextDueAt).toBe(sealMs - leadMs);
    expect(own.advance(sealMs - leadMs - 1)).toEqual([]);
    const [next] = own.advance(sealMs - leadMs);
    expect(next?.endsAt).toBe(sealMs + lifeMs);
    expect(own.advance(sealMs - 1)).toEqual([]);
    expect(own.nextDueAt).toBe(sealMs);
    expect(own.current.id).toBe(first?.id);
    expect(own.advance(sealMs)).toEqual([]);
    expect(own.current.id).toBe(next?.id);
    expect(own.nextDueAt).toBe(2 * sealMs - leadMs);
  });

  it('seals for at most five minutes although it was advanced late', () => {
    own.advance(0);
    const [next] = own.advance(sealMs - leadMs);
    own.advance(sealMs + 60_000);
    expect(own.current.id).toBe(next?.id);
    own.advance(2 * sealMs);
    expect(own.current.id).not.toBe(next?.id);
    expect(own.current.endsAt).toBe(2 * sealMs + lifeMs);
  });

  it('passes over a prepared epoch whose time to seal went by', () => {
    own.advance(0);
    const [prepared] = own.advance(sealMs - leadMs);
    const made = own.advance(2 * sealMs);
    expect(made).toHaveLength(1);
    expect(own.current.id).toBe(made[0]?.id);
    expect(own.current.id).not.toBe(prepared?.id);
    expect(own.current.endsAt).toBe(2 * sealMs + lifeMs);
  });

  it('begins again when it comes back from a standstill of hours', () => {
    own.advance(0);
    const hours = 7 * 3_600_000;
    store.destroyEnded(hours);
    expect(own.advance(hours)).toHaveLength(1);
    expect(own.current.endsAt).toBe(hours + lifeMs);
  });

  it('never has more than fourteen alive', () => {
    let most = 0;
    for (let now = 0; now < 10 * lifeMs; now += 1_000) {
      store.destroyEnded(now);
      own.advance(now);
      most = Math.max(most, store.size);
    }
    expect(most).toBe(14);
  });

  it('leaves every code an hour and no key more than 65 minutes from its first use', () => {
    for (let now = 0; now < 3 * lifeMs; now += 777) {
      own.advance(now);
      const leftMs = own.current.endsAt - now;
      expect(leftMs).toBeGreaterThan(60 * 60_000);
      expect(leftMs).toBeLessThanOrEqual(65 * 60_000);
    }
  });
});

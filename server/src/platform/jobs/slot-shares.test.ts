import { describe, expect, it } from 'vitest';
import { SlotShares } from './slot-shares.ts';

const slots = 384;
const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `tenant-${index}`);

/** Has a tenant take all that it may have. Returns how many slots that were. */
function takeAll(shares: SlotShares, tenant: string): number {
  let taken = 0;
  for (;;) {
    const count = shares.full.includes(tenant) ? 0 : shares.takeMax;
    if (count === 0) return taken;
    for (let one = 0; one < count; one += 1) shares.take(tenant);
    taken += count;
  }
}

describe('SlotShares', () => {
  it('lets one tenant take a third of the slots', () => {
    expect(takeAll(new SlotShares(slots), 'one')).toBe(128);
  });

  it('leaves two thirds of the free slots to others, whoever has taken the rest for good', () => {
    const shares = new SlotShares(slots);
    let free = slots;
    for (const tenant of namesOf(9)) {
      const taken = takeAll(shares, tenant);
      expect(taken).toBeLessThanOrEqual(Math.ceil(free / 3));
      expect(taken).toBeGreaterThanOrEqual(Math.floor(free / 3));
      free -= taken;
    }
    expect(free).toBeGreaterThan(8);
  });

  it.each([1, 2, 3, 10, 100])('comes to share equally among %i tenants whose runs end and begin again', (count) => {
    const shares = new SlotShares(slots);
    const held = new Map(namesOf(count).map((tenant) => [tenant, takeAll(shares, tenant)]));
    for (let round = 0; round < 500; round += 1) {
      for (const [tenant, before] of held) {
        if (before > 0) shares.release(tenant);
        held.set(tenant, Math.max(0, before - 1) + takeAll(shares, tenant));
      }
    }
    const equal = slots / (count + 2);
    for (const each of held.values()) expect(Math.abs(each - equal)).toBeLessThan(2 + equal * 0.1);
    expect(shares.takeMax).toBeGreaterThan(0);
  });

  it('limits nobody if runs belong to no tenant, as long as slots are free', () => {
    const shares = new SlotShares(3);
    for (let count = 0; count < 3; count += 1) {
      expect(shares.takeMax).toBeGreaterThan(0);
      shares.take(undefined);
    }
    expect(shares.takeMax).toBe(0);
  });
});

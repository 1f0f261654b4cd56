import { describe, expect, it } from 'vitest';
import { WindowCounter } from './window-counter.ts';

function createCounter(clientsMax = 100) {
  const clock = { ms: 5_000 };
  const counter = new WindowCounter({ windowMs: 10_000, blockMs: 10_000, clientsMax, now: () => clock.ms });
  const add = (client = 'a', limit = 3) => counter.add(client, limit);
  return { clock, counter, add };
}

describe('WindowCounter', () => {
  it('lets as many through as the limit says, and begins a block with the next', () => {
    const { clock, add } = createCounter();
    for (let count = 0; count < 3; count += 1) expect(add()).toEqual({ isWithin: true, msLeft: 10_000 });
    clock.ms += 9_999;
    expect(add()).toEqual({ isWithin: false, msLeft: 10_000 });
  });

  it('blocks for exactly ten seconds from that moment, and more requests do not prolong it', () => {
    const { clock, counter, add } = createCounter();
    for (let count = 0; count < 4; count += 1) add();
    clock.ms += 4_000;
    expect(add()).toEqual({ isWithin: false, msLeft: 6_000 });
    expect(counter.blockedMs('a')).toBe(6_000);
    clock.ms += 5_999;
    expect(add()).toEqual({ isWithin: false, msLeft: 1 });
    clock.ms += 1;
    expect(counter.blockedMs('a')).toBe(0);
    expect([add(), add(), add(), add()].map(({ isWithin }) => isWithin)).toEqual([true, true, true, false]);
  });

  it('begins a new window ten seconds after the first request of the last', () => {
    const { clock, add } = createCounter();
    expect([add(), add(), add()].every(({ isWithin }) => isWithin)).toBe(true);
    clock.ms += 10_000;
    expect(add()).toEqual({ isWithin: true, msLeft: 10_000 });
  });

  it('counts clients apart', () => {
    const { add } = createCounter();
    for (let count = 0; count < 4; count += 1) add('a');
    expect(add('b').isWithin).toBe(true);
  });

  it('remembers a block from elsewhere', () => {
    const { clock, counter, add } = createCounter();
    add();
    counter.block('a', 700);
    expect(add()).toEqual({ isWithin: false, msLeft: 700 });
    clock.ms += 700;
    expect(add().isWithin).toBe(true);
  });

  it('forgets anyone who has not come back, and never holds more than its bound', () => {
    const { clock, counter, add } = createCounter(1_000);
    for (let client = 0; client < 900; client += 1) add(`old ${client}`);
    clock.ms += 10_000;
    add('new');
    expect(counter.size).toBe(1);
    for (let client = 0; client < 50_000; client += 1) add(`flood ${client}`);
    expect(counter.size).toBe(1_000);
  });
});

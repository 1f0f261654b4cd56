import { describe, expect, it } from 'vitest';
import type { Steps } from '../../core/steps/steps.ts';
import { inTurns, mapInTurns } from './turns.ts';

/** Keeps the processor busy for this long. */
function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

/**
 * Counts the rounds of the event loop during some work. It starts to count before the work begins, so that no round is
 * missed.
 */
async function roundsDuring(work: () => Promise<unknown>): Promise<number> {
  let rounds = 0;
  let isDone = false;
  const count = () => {
    rounds += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isDone = true;
  return rounds;
}

function* steps(count: number, milliseconds: number): Steps<number> {
  for (let index = 0; index < count; index += 1) {
    spin(milliseconds);
    yield;
  }
  return count;
}

describe('inTurns', () => {
  it('does short work in the turn that it began in', async () => {
    let isLater = false;
    setImmediate(() => {
      isLater = true;
    });
    expect(await inTurns(steps(3, 0))).toBe(3);
    expect(isLater).toBe(false);
  });

  it('lets the loop go round while long work is done', async () => {
    expect(await roundsDuring(() => inTurns(steps(20, 3)))).toBeGreaterThanOrEqual(8);
  });

  it('lets several go on together, each by a step a turn at least', async () => {
    const order: string[] = [];
    const note = async (name: string) => {
      await inTurns(steps(5, 6));
      order.push(name);
    };
    const late = new Promise<void>((resolve) => {
      setTimeout(() => {
        order.push('timer');
        resolve();
      }, 1);
    });
    await Promise.all([note('a'), note('b'), late]);
    expect(order).toEqual(['timer', 'a', 'b']);
  });

  it('hands an error on', async () => {
    const failing = function* (): Steps<never> {
      yield;
      throw new Error('no further');
    };
    await expect(inTurns(failing())).rejects.toThrow('no further');
  });
});

describe('mapInTurns', () => {
  it('keeps the order, and lets the loop go round in between', async () => {
    let doubled: readonly number[] = [];
    const rounds = await roundsDuring(async () => {
      doubled = await mapInTurns([1, 2, 3, 4], (number) => {
        spin(6);
        return number * 2;
      });
    });
    expect(doubled).toEqual([2, 4, 6, 8]);
    expect(rounds).toBeGreaterThanOrEqual(3);
  });
});

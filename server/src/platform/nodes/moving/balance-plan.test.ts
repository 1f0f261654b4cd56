import { describe, expect, it } from 'vitest';
import { planBalance, type PlannedMove } from './balance-plan.ts';

const plan = (held: Record<string, number>, spared?: string) =>
  planBalance(new Map(Object.entries(held)), (name) => name === spared);

function after(held: Record<string, number>, moves: readonly PlannedMove[]): Record<string, number> {
  const result = { ...held };
  for (const { from, to, drawers } of moves) {
    result[from] = (result[from] ?? 0) - drawers;
    result[to] = (result[to] ?? 0) + drawers;
  }
  return result;
}

describe('a plan for balance', () => {
  it('gives a new database its share, and moves nothing between others', () => {
    expect(plan({ home: 2_048, a: 2_048, b: 0 })).toEqual([
      { from: 'home', to: 'b', drawers: 682 },
      { from: 'a', to: 'b', drawers: 683 },
    ]);
  });

  it('leaves what is equal within one as it is', () => {
    expect(plan({ home: 1_365, a: 1_366, b: 1_365 })).toEqual([]);
    expect(plan({ home: 4_096 })).toEqual([]);
  });

  it('takes everything from home if it is spared, and nothing if there is nowhere else', () => {
    expect(plan({ home: 4_096, a: 0, b: 0 }, 'home')).toEqual([
      { from: 'home', to: 'a', drawers: 2_048 },
      { from: 'home', to: 'b', drawers: 2_048 },
    ]);
    expect(plan({ home: 4_096 }, 'home')).toEqual([]);
  });

  it.each([
    { home: 4_096, a: 0, b: 0, c: 0, d: 0 },
    { home: 0, a: 4_000, b: 96, c: 0 },
    { home: 1, a: 2, b: 3, c: 4_090 },
    { home: 1_000, a: 1_000, b: 1_000, c: 1_096, d: 0, e: 0, f: 0 },
  ])('ends with shares that differ by one at most, and moves no drawer twice: %o', (held) => {
    const moves = plan(held);
    const shares = Object.values(after(held, moves));
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(4_096);
    const givers = new Set(moves.map(({ from }) => from));
    expect(moves.filter(({ to }) => givers.has(to))).toEqual([]);
  });
});

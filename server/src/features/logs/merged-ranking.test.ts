import { describe, expect, it } from 'vitest';
import { mostFirst, type Ranking, type ValueCount } from './log-tally-store.ts';
import { MergedRanking } from './merged-ranking.ts';

const toCounts = (records: Readonly<Record<string, number>>) =>
  mostFirst(Object.entries(records).map(([value, count]) => ({ value, records: count })));
const sizes = { limit: 2, perNode: 3 };
type Log = Readonly<Record<string, number>>;

/** As a node says it: its own most frequent values. */
const rank = (log: Log, isCut = false): Ranking => ({ values: toCounts(log).slice(0, sizes.perNode), isCut });
const countOn = (logs: readonly Log[], values: readonly string[]): ValueCount[] =>
  logs.flatMap((log) => toCounts(log).filter(({ value }) => values.includes(value)));

function merge(...logs: readonly Log[]): Ranking & { open: readonly string[] } {
  const merged = new MergedRanking(
    logs.map((log) => rank(log)),
    sizes,
  );
  const { values, isCut } = merged.finish(countOn(logs, merged.open));
  return { values: values.slice(0, sizes.limit), isCut, open: merged.open };
}

describe('a ranking of several nodes', () => {
  it('adds up what nodes have named in full, and asks for nothing more', () => {
    expect(merge({ a: 5, b: 1 }, { b: 7 }, {})).toEqual({
      values: [
        { value: 'b', records: 8 },
        { value: 'a', records: 5 },
      ],
      isCut: false,
      open: [],
    });
  });

  it('counts a value on a node that has not named it', () => {
    const found = merge({ a: 9, b: 8, c: 7, d: 6 }, { d: 20, e: 1 });
    expect(found.open).toEqual(['d']);
    expect(found.values[0]).toEqual({ value: 'd', records: 26 });
    expect(found.isCut).toBe(false);
  });

  it('leaves alone what cannot be among the first any more', () => {
    const found = merge({ a: 90, b: 80, c: 1, z: 1 }, { a: 90, b: 80, d: 2, e: 1 });
    expect(found.open).toEqual([]);
    expect(found).toMatchObject({ isCut: false, values: [{ records: 180 }, { records: 160 }] });
  });

  it('is uncertain if a value that no node has named could be among the first', () => {
    const found = merge({ a: 9, b: 9, c: 9, x: 8 }, { d: 9, e: 9, f: 9, x: 8 });
    expect(found.isCut).toBe(true);
  });

  it('is uncertain if a node has not looked at everything', () => {
    const merged = new MergedRanking([rank({ a: 1 }, true), rank({ a: 2 })], sizes);
    expect(merged.finish([]).isCut).toBe(true);
  });

  it('is that of the only node there is', () => {
    expect(merge({ a: 3, b: 3, c: 3, d: 3 })).toMatchObject({ isCut: false, open: [] });
  });

  it('has the numbers of a single log, and the same order wherever it is certain', () => {
    for (let round = 0; round < 500; round += 1) {
      const any = (max: number) => Math.floor(Math.random() * max);
      const logs = Array.from({ length: 3 }, () =>
        Object.fromEntries(Array.from({ length: any(7) }, () => [String.fromCodePoint(97 + any(9)), 1 + any(20)])),
      );
      const whole = new Map<string, number>();
      for (const { value, records } of logs.flatMap(toCounts)) whole.set(value, (whole.get(value) ?? 0) + records);
      const expected = toCounts(Object.fromEntries(whole)).slice(0, sizes.limit);
      const found = merge(...logs);
      const numbers = found.values.map(({ records }) => records);
      expect(numbers, JSON.stringify(logs)).toEqual(found.values.map(({ value }) => whole.get(value)));
      if (!found.isCut) expect(numbers, JSON.stringify(logs)).toEqual(expected.map(({ records }) => records));
    }
  });
});

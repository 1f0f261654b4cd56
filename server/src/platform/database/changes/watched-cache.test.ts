import { describe, expect, it } from 'vitest';
import { WatchedCache } from './change-feed.ts';

/** Creates a feed whose state the test controls, and a store whose reads finish one at a time when the test says so. */
function setUp(options: { isKept?: (value: { n: number }) => boolean } = {}) {
  const feed = { isCurrent: true, gaps: [] as (() => void)[], onGap: (gap: () => void) => void feed.gaps.push(gap) };
  const reads: { key: string; finish: (value: { n: number } | undefined) => void; fail: (error: Error) => void }[] = [];
  const cache = new WatchedCache<string, { n: number }>({
    feed,
    entriesMax: 10,
    load: (key) => new Promise((finish, fail) => void reads.push({ key, finish, fail })),
    ...options,
  });
  return { feed, reads, cache };
}

describe('WatchedCache', () => {
  it('reads once for concurrent requests, and serves later ones from memory', async () => {
    const { cache, reads } = setUp();
    const both = [cache.get('a'), cache.get('a')];
    await Promise.resolve();
    reads[0]?.finish({ n: 1 });
    expect(await Promise.all(both)).toEqual([{ n: 1 }, { n: 1 }]);
    expect(await cache.get('a')).toEqual({ n: 1 });
    expect(reads).toHaveLength(1);
  });

  it('does not keep what was read before a change arrived', async () => {
    const { cache, reads } = setUp();
    const first = cache.get('a');
    await Promise.resolve();
    cache.forget((key) => key === 'a');
    const second = cache.get('a');
    await Promise.resolve();
    reads[1]?.finish({ n: 2 });
    reads[0]?.finish({ n: 1 });
    expect(await Promise.all([first, second])).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await cache.get('a')).toEqual({ n: 2 });
  });

  it('believes nothing while the feed is not current, and forgets everything at a gap', async () => {
    const { cache, reads, feed } = setUp();
    const first = cache.get('a');
    await Promise.resolve();
    reads[0]?.finish({ n: 1 });
    await first;
    feed.isCurrent = false;
    void cache.get('a');
    await Promise.resolve();
    expect(reads).toHaveLength(2);
    reads[1]?.finish({ n: 1 });
    feed.isCurrent = true;
    for (const gap of feed.gaps) gap();
    void cache.get('a');
    await Promise.resolve();
    expect(reads).toHaveLength(3);
  });

  it('forgets only what matches', async () => {
    const { cache, reads } = setUp();
    const both = [cache.get('a'), cache.get('b')];
    await Promise.resolve();
    for (const { key, finish } of reads) finish({ n: key === 'a' ? 1 : 2 });
    await Promise.all(both);
    cache.forget((_, { n }) => n === 1);
    expect(await cache.get('b')).toEqual({ n: 2 });
    void cache.get('a');
    await Promise.resolve();
    expect(reads.map(({ key }) => key)).toEqual(['a', 'b', 'a']);
  });

  it('keeps no failure, nothing that is absent, and nothing that must not be kept', async () => {
    const { cache, reads } = setUp({ isKept: ({ n }) => n > 0 });
    const next = async (settle: (read: (typeof reads)[number]) => void) => {
      const value = cache.get('a');
      await Promise.resolve();
      const read = reads.at(-1);
      if (read !== undefined) settle(read);
      return value;
    };
    await expect(next(({ fail }) => fail(new Error('away')))).rejects.toThrow('away');
    expect(await next(({ finish }) => finish(undefined))).toBeUndefined();
    expect(await next(({ finish }) => finish({ n: 0 }))).toEqual({ n: 0 });
    expect(await next(({ finish }) => finish({ n: 1 }))).toEqual({ n: 1 });
    expect(reads).toHaveLength(4);
  });
});

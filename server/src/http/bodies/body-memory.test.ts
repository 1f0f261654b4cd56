import { describe, expect, it, vi } from 'vitest';
import { BodyMemory, type BodyShare } from './body-memory.ts';

const pace = { paceBytesMin: 10, paceMs: 1_000 };
const limits = { totalBytesMax: 100, clientBytesMax: 60, whenClientFull: 'refuse', ...pace } as const;

/** Opens a body that closes its share when it is dropped, as the contract requires, and records the reasons. */
function open(memory: BodyMemory, client: string): { share: BodyShare; reasons: string[] } {
  const reasons: string[] = [];
  const share = memory.open(client, (reason) => {
    reasons.push(reason.code);
    share.close();
  });
  return { share, reasons };
}

describe('BodyMemory', () => {
  it('gives back what a body held, once', () => {
    const memory = new BodyMemory(limits);
    const { share } = open(memory, 'a');
    share.grow(40);
    share.grow(20);
    expect([memory.heldBytes, memory.openCount]).toEqual([60, 1]);
    share.close();
    share.close();
    expect([memory.heldBytes, memory.openCount]).toEqual([0, 0]);
    open(memory, 'a').share.grow(60);
  });

  it('refuses a client that takes too much, whatever others have', () => {
    const memory = new BodyMemory(limits);
    const [first, second] = [open(memory, 'a'), open(memory, 'a')];
    first.share.grow(60);
    expect(() => second.share.grow(1)).toThrow(expect.objectContaining({ code: 'overloaded' }));
    expect(first.reasons).toEqual([]);
    open(memory, 'b').share.grow(40);
  });

  it('has the body that began first make room for those of others', () => {
    const memory = new BodyMemory(limits);
    const [empty, oldest, older] = [open(memory, 'x'), open(memory, 'a'), open(memory, 'b')];
    oldest.share.grow(50);
    older.share.grow(50);
    const newcomer = open(memory, 'c');
    newcomer.share.grow(10);
    expect([empty.reasons, oldest.reasons, older.reasons]).toEqual([[], ['overloaded'], []]);
    expect(memory.heldBytes).toBe(60);
  });

  it('refuses the body that began first when there is no room for more of it', () => {
    const memory = new BodyMemory({ ...limits, clientBytesMax: 1_000 });
    const [oldest, younger] = [open(memory, 'a'), open(memory, 'b')];
    oldest.share.grow(50);
    younger.share.grow(50);
    expect(() => oldest.share.grow(1)).toThrow(expect.objectContaining({ code: 'overloaded' }));
    expect(younger.reasons).toEqual([]);
  });

  it('has the oldest body of a client make room for its next, where that cannot be refused', () => {
    const memory = new BodyMemory({ ...limits, whenClientFull: 'drop-oldest' });
    const [others, oldest, older, newest] = ['b', 'a', 'a', 'a'].map((client) => open(memory, client));
    others?.share.grow(30);
    oldest?.share.grow(30);
    older?.share.grow(30);
    newest?.share.grow(30);
    expect([others, oldest, older, newest].map((body) => body?.reasons)).toEqual([[], ['overloaded'], [], []]);
    newest?.share.grow(40);
    expect([others, older, newest].map((body) => body?.reasons)).toEqual([[], ['overloaded'], []]);
  });

  it('lets a complete body make room until it is worked on, and never calls it slow', () => {
    vi.useFakeTimers();
    try {
      const memory = new BodyMemory(limits);
      const [kept, waiting] = [open(memory, 'a'), open(memory, 'b')];
      for (const { share } of [kept, waiting]) {
        share.grow(50);
        share.endArrival();
      }
      kept.share.keep();
      vi.advanceTimersByTime(60_000);
      expect([kept.reasons, waiting.reasons]).toEqual([[], []]);
      open(memory, 'c').share.grow(50);
      expect([kept.reasons, waiting.reasons]).toEqual([[], ['overloaded']]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('keeps nothing for a body that was given up', () => {
    const memory = new BodyMemory(limits);
    const { share } = open(memory, 'a');
    share.close();
    share.grow(10);
    expect(memory.heldBytes).toBe(0);
  });

  it('gives up what arrives too slowly, however much came before', () => {
    vi.useFakeTimers();
    try {
      const memory = new BodyMemory(limits);
      const [stalled, slow, steady] = [open(memory, 'a'), open(memory, 'a'), open(memory, 'a')];
      stalled.share.note(1_000);
      for (let step = 0; step < 50; step += 1) {
        if (step % 10 === 0) slow.share.note(1);
        steady.share.note(2);
        vi.advanceTimersByTime(100);
      }
      expect([stalled.reasons, slow.reasons, steady.reasons]).toEqual([['request-timeout'], ['request-timeout'], []]);
      steady.share.close();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

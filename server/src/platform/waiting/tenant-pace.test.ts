import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TenantId } from '../../core/identity/ids.ts';
import { TenantPace, type TenantPaceOptions } from './tenant-pace.ts';

const noisy = 'noisy' as TenantId;
const quiet = 'quiet' as TenantId;

const options: TenantPaceOptions = {
  msPerSecond: 100,
  burstMs: 50,
  waitingMax: 3,
  waitMaxMs: 5_000,
  heavyForMs: 10_000,
  gapMaxMs: 250,
  aloneAfterMs: 60_000,
};

/** Creates a pace that two tenants use, and records which requests began. */
function makePace() {
  const pace = new TenantPace(options);
  const begun: string[] = [];
  const leaves: (() => void)[] = [];
  const refusals: unknown[] = [];
  const ask = (name: string, tenant = noisy) => {
    const begin = (leave: () => void) => {
      begun.push(name);
      leaves.push(leave);
    };
    const entered = pace.enter(tenant);
    if (entered === undefined) begun.push(name);
    else if (entered instanceof Promise) void entered.then(begin, (refusal: unknown) => refusals.push(refusal));
    else begin(entered);
  };
  void pace.enter(quiet);
  void pace.enter(noisy);
  return { pace, begun, leaves, refusals, ask };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

describe('TenantPace', () => {
  it('lets a tenant begin at once as long as it is charged nothing', () => {
    const { begun, ask } = makePace();
    for (const name of ['a', 'b', 'c', 'd']) ask(name);
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('makes a tenant wait until what is beyond its burst is paid, and no other', async () => {
    const { pace, begun, ask } = makePace();
    pace.charge(noisy, 150);
    expect(pace.waitMsOf(noisy)).toBe(1_000);
    ask('late');
    ask('other', quiet);
    expect(begun).toEqual(['other']);
    await vi.advanceTimersByTimeAsync(999);
    expect(begun).toEqual(['other']);
    await vi.advanceTimersByTimeAsync(2);
    expect(begun).toEqual(['other', 'late']);
  });

  it('begins one at a time, in order, and charges each before the next', async () => {
    const { pace, begun, leaves, ask } = makePace();
    pace.charge(noisy, 60);
    for (const name of ['a', 'b', 'c']) ask(name);
    await vi.advanceTimersByTimeAsync(101);
    expect(begun).toEqual(['a']);
    pace.charge(noisy, 20);
    leaves[0]?.();
    await vi.advanceTimersByTimeAsync(198);
    expect(begun).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(3);
    expect(begun).toEqual(['a', 'b']);
    leaves[1]?.();
    leaves[1]?.();
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('does not wait long for a request that itself waits for somebody', async () => {
    const { pace, begun, ask } = makePace();
    pace.charge(noisy, 60);
    await vi.advanceTimersByTimeAsync(101);
    for (const name of ['a', 'b']) ask(name);
    expect(begun).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(252);
    expect(begun).toEqual(['a', 'b']);
  });

  it('lets a tenant that stays within its burst begin as many at once as it likes', () => {
    const { pace, begun, ask } = makePace();
    pace.charge(noisy, 49);
    for (const name of ['a', 'b', 'c']) ask(name);
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('turns away what would wait in too long a queue, or too long', async () => {
    const { pace, begun, refusals, ask } = makePace();
    pace.charge(noisy, 1_000);
    for (const name of ['a', 'b', 'c', 'd']) ask(name);
    await vi.advanceTimersByTimeAsync(1);
    expect(refusals).toMatchObject([{ code: 'overloaded' }]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(refusals).toHaveLength(4);
    expect(begun).toEqual([]);
  });

  it('forgets heavy work after a while', async () => {
    const { pace, ask, begun } = makePace();
    pace.charge(noisy, 60);
    await vi.advanceTimersByTimeAsync(10_700);
    for (const name of ['a', 'b', 'c']) ask(name);
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('charges nothing to a tenant that is alone', async () => {
    const alone = new TenantPace(options);
    for (let count = 0; count < 3; count += 1) {
      expect(alone.enter(noisy)).toBeUndefined();
      alone.charge(noisy, 10_000);
    }
    void alone.enter(quiet);
    expect(alone.isShared).toBe(true);
    await vi.advanceTimersByTimeAsync(60_001);
    expect(alone.isShared).toBe(false);
    alone.charge(quiet, 10_000);
    expect(alone.waitMsOf(quiet)).toBe(0);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TenantId } from '../../core/identity/ids.ts';
import { FairLanes, type Lane } from './fair-lanes.ts';

const noisy = 'noisy' as TenantId;
const quiet = 'quiet' as TenantId;
const third = 'third' as TenantId;

/** Creates lanes, and records the order in which work enters them. */
function makeLanes(slotsMax: number, waitingMax = 100) {
  const lanes = new FairLanes({ slotsMax, waitingMax, waitMaxMs: 1_000 });
  const entered: Lane[] = [];
  const leaves: (() => void)[] = [];
  const enter = (lane: Lane) =>
    lanes.enter(lane).then((leave) => {
      entered.push(lane);
      leaves.push(leave);
    });
  const settle = () => new Promise<void>((resolve) => void setImmediate(resolve));
  return { lanes, entered, leaves, enter, settle };
}

const many = (count: number, lane: Lane) => Array.from({ length: count }, () => lane);

// With fake timers, work that still waits at the end of a test never times out.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

describe('FairLanes', () => {
  it.each([
    { connections: 1, one: 1, all: 1 },
    { connections: 2, one: 1, all: 2 },
    { connections: 3, one: 2, all: 3 },
    { connections: 4, one: 2, all: 3 },
    { connections: 8, one: 5, all: 7 },
    { connections: 100, one: 74, all: 99 },
  ])('of $connections places lets one tenant hold $one and all tenants $all', async (share) => {
    const { entered, enter, settle } = makeLanes(share.connections, 1_000);
    for (const lane of many(share.connections + 5, noisy)) void enter(lane);
    await settle();
    expect(entered).toEqual(many(share.one, noisy));
    for (const lane of many(share.connections + 5, quiet)) void enter(lane);
    await settle();
    expect(entered).toHaveLength(share.all);
  });

  it('lets one tenant hold no more than it is told to, and two leave a place to the third', async () => {
    const lanes = new FairLanes({ slotsMax: 6, tenantMax: 2, waitingMax: 100, waitMaxMs: 1_000 });
    const entered: Lane[] = [];
    for (const lane of [...many(10, noisy), ...many(10, third), quiet]) {
      void lanes.enter(lane).then(() => entered.push(lane));
    }
    await new Promise<void>((resolve) => void setImmediate(resolve));
    expect(entered).toEqual([noisy, noisy, third, third, quiet]);
  });

  it('lets the vault itself in beside any number of tenants', async () => {
    const { enter, settle, entered } = makeLanes(8);
    for (const lane of [...many(20, noisy), ...many(20, quiet)]) void enter(lane);
    void enter('vault');
    await settle();
    expect(entered).toHaveLength(8);
    expect(entered.at(-1)).toBe('vault');
  });

  it('gives a place that becomes free to whom holds the fewest, before those that wait longer', async () => {
    const { enter, settle, entered, leaves } = makeLanes(4);
    for (const lane of [...many(10, noisy), ...many(10, third)]) void enter(lane);
    await settle();
    void enter(quiet);
    await settle();
    expect(entered).toEqual([noisy, noisy, third]);
    leaves[0]?.();
    await settle();
    expect(entered.at(-1)).toBe(quiet);
  });

  it('serves tenants that hold as many in turns', async () => {
    const { enter, settle, entered, leaves } = makeLanes(2);
    for (const lane of [noisy, noisy, noisy, noisy, quiet, quiet, third, third]) void enter(lane);
    await settle();
    for (let index = 0; index < 6; index += 1) {
      leaves[index]?.();
      await settle();
    }
    expect(entered).toEqual([noisy, quiet, third, noisy, quiet, third, noisy]);
  });

  it('turns away what one tenant has too much of, and nothing of another', async () => {
    const { lanes, enter, settle, entered } = makeLanes(4, 3);
    for (const lane of many(5, noisy)) void enter(lane);
    await settle();
    await expect(lanes.enter(noisy)).rejects.toMatchObject({ code: 'overloaded' });
    await enter(quiet);
    expect(entered).toEqual([noisy, noisy, quiet]);
    expect(lanes.waitingCount).toBe(3);
  });

  it('turns away what has waited too long, and forgets it', async () => {
    const lanes = new FairLanes({ slotsMax: 1, waitingMax: 10, waitMaxMs: 1_000 });
    const leave = await lanes.enter(noisy);
    const late = expect(lanes.enter(quiet)).rejects.toMatchObject({ code: 'overloaded' });
    await vi.advanceTimersByTimeAsync(1_000);
    await late;
    expect(lanes.waitingCount).toBe(0);
    leave();
    leave();
    const again = await lanes.enter(quiet);
    again();
    await expect(lanes.enter(noisy)).resolves.toBeTypeOf('function');
  });
});

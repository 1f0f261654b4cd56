import { beforeEach, describe, expect, it } from 'vitest';
import { MissingEpochs, waitMs } from './missing-epochs.ts';

let asked: number[];
let timers: { delayMs: number; work: () => void; isCancelled: boolean }[];
let nowMs: number;
let missing: MissingEpochs;

beforeEach(() => {
  asked = [];
  timers = [];
  nowMs = 0;
  missing = new MissingEpochs({
    ask: (id) => void asked.push(id),
    now: () => nowMs,
    timers: {
      after(delayMs, work) {
        const timer = { delayMs, work, isCancelled: false };
        timers.push(timer);
        return () => {
          timer.isCancelled = true;
        };
      },
    },
  });
});

const expire = () => {
  for (const timer of timers.splice(0)) if (!timer.isCancelled) timer.work();
};

describe('MissingEpochs', () => {
  it('asks once for all who wait, for a second, and lets them go when the key arrives', async () => {
    const waits = Promise.all([missing.wait(1), missing.wait(1), missing.wait(1)]);
    expect(asked).toEqual([1]);
    expect(timers.map(({ delayMs }) => delayMs)).toEqual([waitMs]);
    missing.arrived(2);
    missing.arrived(1);
    await waits;
    expect(timers[0]?.isCancelled).toBe(true);
  });

  it('gives up after its second and asks nobody again for a minute', async () => {
    const waiting = missing.wait(1);
    expire();
    await waiting;
    nowMs = 59_999;
    await missing.wait(1);
    expect(asked).toEqual([1]);
    nowMs = 60_000;
    const again = missing.wait(1);
    expect(asked).toEqual([1, 1]);
    missing.arrived(1);
    await again;
  });

  it('does not ask for what was destroyed here', async () => {
    missing.markGone(1);
    await missing.wait(1);
    expect(asked).toEqual([]);
  });

  it('waits for a bounded number of keys', async () => {
    const waits = Array.from({ length: 5_000 }, (_, id) => missing.wait(id));
    await Promise.all(waits.slice(1_024));
    expect(asked).toHaveLength(1_024);
    missing.stop();
    await Promise.all(waits);
  });

  it('lets everybody go at the stop, and nobody wait after it', async () => {
    const waits = [missing.wait(1), missing.wait(2)];
    missing.stop();
    await Promise.all([...waits, missing.wait(3)]);
    expect(asked).toEqual([1, 2]);
  });
});

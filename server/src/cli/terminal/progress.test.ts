import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Progress } from './progress.ts';

let written: string[];
beforeEach(() => {
  written = [];
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('Progress', () => {
  it('writes a line every five seconds where there is no terminal', () => {
    const progress = new Progress('Moving', true);
    for (let second = 0; second <= 10; second += 1) {
      progress.update(1_000 + second * 100, 4_000);
      vi.advanceTimersByTime(1_000);
    }
    progress.end();
    expect(written).toEqual(['Moving: 1,500 of 4,000, 100/s\n', 'Moving: 2,000 of 4,000, 100/s\n']);
  });

  it('writes lines of JSON for machines, and counts what was done before out of the rate', () => {
    const progress = new Progress('Moving', false);
    progress.update(500, undefined, 0.25);
    vi.advanceTimersByTime(5_000);
    progress.update(1_000, undefined, 0.5);
    expect(written.map((line) => JSON.parse(line) as unknown)).toEqual([
      { progress: 'Moving', done: 1_000, share: 0.5, per_second: 100 },
    ]);
  });
});

import { expect, it } from 'vitest';
import { onReach, reach, Unreachable, wasReached } from './unreachable';

it('remembers whether the vault responded, and tells it once', async () => {
  const told: boolean[] = [];
  const stop = onReach(() => told.push(wasReached()));
  await expect(reach(Promise.reject(new TypeError('Failed to fetch')))).rejects.toBeInstanceOf(Unreachable);
  await expect(reach(Promise.reject(new TypeError('Failed to fetch')))).rejects.toThrow('could not be reached');
  expect(await reach(Promise.resolve(1))).toBe(1);
  stop();
  expect(told).toEqual([false, true]);
});

it('learns nothing from a request that the page cancelled', async () => {
  await expect(reach(Promise.reject(new DOMException('', 'AbortError')))).rejects.toBeInstanceOf(DOMException);
  expect(wasReached()).toBe(true);
});

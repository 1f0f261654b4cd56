import { describe, expect, it } from 'vitest';
import { TurnQueue } from './turn-queue.ts';

/** Returns work that ends on demand. */
function held() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return { work: () => promise, resolve, reject };
}

describe('TurnQueue', () => {
  it('runs work on one key in the order it came, one at a time', async () => {
    const queue = new TurnQueue(10);
    const log: string[] = [];
    const work = (name: string) => async () => {
      log.push(`${name} begins`);
      await Promise.resolve();
      log.push(`${name} ends`);
    };
    await Promise.all([queue.run('k', work('a')), queue.run('k', work('b')), queue.run('k', work('c'))]);
    expect(log).toStrictEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('does not make work on one key wait for another key', async () => {
    const queue = new TurnQueue(10);
    const first = held();
    const waiting = queue.run('a', first.work);
    expect(await queue.run('b', async () => 'done')).toBe('done');
    first.resolve('released');
    expect(await waiting).toBe('released');
  });

  it('gives a failure to its own caller and goes on', async () => {
    const queue = new TurnQueue(10);
    const failing = queue.run('k', async () => {
      throw new Error('planned');
    });
    const next = queue.run('k', async () => 'done');
    await expect(failing).rejects.toThrow('planned');
    expect(await next).toBe('done');
  });

  it('turns away what is more than may wait on one key, and takes work again once there is room', async () => {
    const queue = new TurnQueue(2);
    const first = held();
    const waiting = [queue.run('k', first.work), queue.run('k', async () => 'second')];
    await expect(queue.run('k', async () => 'third')).rejects.toMatchObject({ code: 'overloaded' });
    expect(await queue.run('other', async () => 'other')).toBe('other');
    first.resolve('first');
    expect(await Promise.all(waiting)).toStrictEqual(['first', 'second']);
    expect(await queue.run('k', async () => 'fourth')).toBe('fourth');
  });
});

import type { PgBoss } from 'pg-boss';
import { describe, expect, it } from 'vitest';
import { SlotRunner } from './slot-runner.ts';

const listGroups = () => Promise.resolve([]);
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A queue in memory. Each look at it takes as long as a resolved promise. */
function fakeBoss(waiting: string[]): PgBoss {
  const boss: Pick<PgBoss, 'fetch' | 'complete'> = {
    fetch: () => Promise.resolve(waiting.splice(0).map((id) => ({ id, data: id, retryCount: 0 }))) as never,
    complete: () => Promise.resolve({}),
  };
  return boss as PgBoss;
}

async function passTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}

describe('SlotRunner', () => {
  it.each(Array.from({ length: 20 }, (_, turns) => [turns]))(
    'takes a job of which it is notified %i turns of the event loop after it began to look',
    async (turns) => {
      const waiting: string[] = [];
      const ran = Promise.withResolvers<string>();
      const job = { name: 'work', limitMs: 1_000, run: async () => ran.resolve('ran') };
      const options = { slots: 1, pollSeconds: 3_600, heartbeatSeconds: 30, listGroups, logger };
      const runner = new SlotRunner({ boss: fakeBoss(waiting), job, ...options });
      await passTurns(turns);
      waiting.push('job');
      runner.notify();
      await passTurns(100);
      const late = new Promise<string>((resolve) => setImmediate(() => resolve('not taken')));
      expect(await Promise.race([ran.promise, late])).toBe('ran');
      await runner.stop(0);
    },
  );

  it('keeps reporting its runs, and ends one that another worker has taken over', async () => {
    const [reported, ended] = [Promise.withResolvers<unknown>(), Promise.withResolvers<string>()];
    const waiting = ['kept', 'lost'];
    const boss = fakeBoss(waiting);
    boss.touch = (_name: string, attempts: unknown) => {
      reported.resolve(attempts);
      return Promise.resolve({ settled: ['kept'] });
    };
    const run = async (payload: unknown, signal?: AbortSignal) => {
      signal?.addEventListener('abort', () => ended.resolve(`${String(payload)}: ${String(signal.reason)}`));
      await ended.promise;
    };
    const options = { slots: 2, pollSeconds: 3_600, heartbeatSeconds: 0.03, listGroups, logger };
    const runner = new SlotRunner({ boss, job: { name: 'work', limitMs: 60_000, run }, ...options });
    expect(await reported.promise).toEqual([
      { id: 'kept', retryCount: 0 },
      { id: 'lost', retryCount: 0 },
    ]);
    expect(await ended.promise).toBe('lost: Error: Another worker has taken over.');
    await runner.stop(1_000);
  });
});

import type { PgBoss } from 'pg-boss';
import { describe, expect, it } from 'vitest';
import { SlotRunner } from './slot-runner.ts';

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A queue in memory. Each look at it takes as long as a resolved promise. */
function fakeBoss(waiting: string[]): PgBoss {
  const boss: Pick<PgBoss, 'fetch' | 'complete'> = {
    fetch: () => Promise.resolve(waiting.splice(0).map((id) => ({ id, data: {}, retryCount: 0 }))) as never,
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
      const options = { slots: 1, pollSeconds: 3_600, heartbeatSeconds: 30, logger };
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
});

import type { BatchName } from '../../src/platform/database/batch-meter.ts';
import { untilTrue } from './deadline.ts';
import type { SentStatement, StatementTap } from './statement-tap.ts';
import type { TestAnswer, TestVault } from './test-vault.ts';

type Ask = () => Promise<TestAnswer>;

export interface HeldBatches {
  readonly vault: TestVault;
  readonly tap: StatementTap;
  readonly name: BatchName;
  /** Batches of one tenant that are on their way at the same time. */
  readonly batchesMax: number;
  /** Whether the statement is that of such a batch. */
  readonly isSent: (statement: SentStatement) => boolean;
  /** A request that makes a batch of its own. */
  readonly askAhead: Ask;
}

/** Requests that surely share a batch: all of them wait until those that take every place are let go. */
export async function askTogether(batches: HeldBatches, asks: readonly Ask[]): Promise<TestAnswer[]> {
  const { vault, tap, name, batchesMax, isSent, askAhead } = batches;
  const gate = Promise.withResolvers<void>();
  const ahead: Promise<TestAnswer>[] = [];
  while (ahead.length < batchesMax) {
    let isHeld = false;
    tap.interrupt(isSent, () => {
      isHeld = true;
      return gate.promise;
    });
    ahead.push(askAhead());
    await untilTrue(() => isHeld, { waitingFor: 'a batch that is held' });
  }
  const asked = asks.map((ask) => ask());
  const { waiting } = vault.server.core.database.batches;
  await untilTrue(() => waiting.get(name) === asks.length, { waitingFor: 'all to wait' });
  gate.resolve();
  await Promise.all(ahead);
  return Promise.all(asked);
}

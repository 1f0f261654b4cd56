import type { BatchName } from '../../src/platform/database/batch-meter.ts';
import { untilTrue } from './deadline.ts';
import type { SentStatement, StatementTap } from './statement-tap.ts';
import type { TestResponse, TestVault } from './test-vault.ts';

type Ask = () => Promise<TestResponse>;

export interface HeldBatches {
  readonly vault: TestVault;
  readonly tap: StatementTap;
  readonly name: BatchName;
  /** The number of batches that one tenant may have in flight at the same time. */
  readonly batchesMax: number;
  /** Returns true if the statement belongs to one of these batches. */
  readonly isSent: (statement: SentStatement) => boolean;
  /** Sends a request that fills a batch of its own. */
  readonly askAhead: Ask;
}

/**
 * Sends requests that are certain to share a batch. They queue behind requests that occupy every batch slot
 * until those are released.
 */
export async function askTogether(batches: HeldBatches, asks: readonly Ask[]): Promise<TestResponse[]> {
  const { vault, tap, name, batchesMax, isSent, askAhead } = batches;
  const gate = Promise.withResolvers<void>();
  const ahead: Promise<TestResponse>[] = [];
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

import { untilTrue } from './deadline.ts';
import { countLockWaits } from './lock-waits.ts';
import type { TestVault } from './test-vault.ts';

/** The requests to send, and the kind of batch that they share. */
export interface Together<Sent> {
  readonly batch: 'token-group' | 'token-duplicate';
  /** Sends requests, one for each slot, that occupy the batches which one tenant may have at the same time. */
  readonly ahead: readonly (() => Promise<{ readonly status: number }>)[];
  readonly requests: readonly (() => Promise<Sent>)[];
  /** The total weight of the requests in the batch. */
  readonly weight: number;
}

/**
 * Sends requests that are certain to share a batch, in this order. They all wait until the requests that occupy every
 * batch are released.
 */
export async function sendTogether<Sent>(vault: TestVault, together: Together<Sent>): Promise<Sent[]> {
  const holder = await vault.database.owner.connect();
  try {
    await holder.query('begin; lock table tokens in access exclusive mode');
    const ahead: Promise<{ readonly status: number }>[] = [];
    for (const send of together.ahead) {
      ahead.push(send());
      await untilTrue(async () => (await countLockWaits(vault.database.owner)) === ahead.length, {
        waitingFor: 'a batch that hangs',
      });
    }
    const { waiting } = vault.server.core.database.batches;
    const weightOfEach = together.weight / together.requests.length;
    const sent: Promise<Sent>[] = [];
    for (const send of together.requests) {
      sent.push(send());
      await untilTrue(() => waiting.get(together.batch) === sent.length * weightOfEach, { waitingFor: 'it to wait' });
    }
    await holder.query('rollback');
    await Promise.all(ahead);
    return await Promise.all(sent);
  } finally {
    holder.release(true);
  }
}

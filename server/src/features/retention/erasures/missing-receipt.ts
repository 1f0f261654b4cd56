import { dayMs } from '../../../core/expiry/life-limit.ts';
import { counted } from '../../../core/text/counted.ts';
import { UnprovableError } from '../../../platform/audit/verify/tree-replay.ts';
import type { Erasure } from './erasure.ts';
import { type Finished, writeReceiptHead, type WriterParts } from './receipt-writer.ts';

/** How long a receipt is tried after the last token was removed. A damaged log or a missing key can be repaired by then. */
export const receiptTriedDays = 7;

/**
 * Writes the head of a receipt. If the records have left the database, or have not been sealed and proven for too long, it
 * returns the reason why there will be none: the erasure has to end, and a receipt must not claim what the log does not
 * prove. Returns undefined as long as it is worth waiting.
 */
export async function writeOrGiveUp(
  parts: WriterParts,
  finished: Finished,
): Promise<{ readonly receipt: string } | { readonly reason: string } | undefined> {
  try {
    const receipt = await writeReceiptHead(parts, finished);
    if (receipt !== undefined) return { receipt };
    return isOverdue(finished.erasure) ? { reason: notSealed } : undefined;
  } catch (error) {
    if (!(error instanceof UnprovableError)) throw error;
    const dropped = await countDropped(parts, finished);
    if (dropped > 0) return { reason: droppedReason(dropped, finished.erasure) };
    if (isOverdue(finished.erasure)) return { reason: notProven };
    throw error;
  }
}

async function countDropped({ reader }: WriterParts, { tenantId, batches }: Finished): Promise<number> {
  const dropped = await reader.listDropped(
    tenantId,
    batches.map(({ order }) => order),
  );
  return batches.reduce((sum, { order, tokens }) => sum + (dropped.has(order) ? tokens : 0), 0);
}

/** An earlier version did not note when the last token was removed. */
function isOverdue({ sealingAt, startedAt, createdAt }: Erasure): boolean {
  return Date.now() - (sealingAt ?? startedAt ?? createdAt).getTime() > receiptTriedDays * dayMs;
}

const unproven = 'all its tokens were removed, but it has no receipt';
const notSealed = `${unproven}, because the log was not sealed within ${receiptTriedDays} days; \`strongroom audit verify\` says why, and the log has the records`;
const notProven = `${unproven}, because the log could not prove it within ${receiptTriedDays} days; run \`strongroom audit verify\``;

function droppedReason(dropped: number, { removed }: Erasure): string {
  return `${unproven}, because the records of ${counted(dropped, 'removal')} of ${removed.toLocaleString('en')} are in months of the log that are no longer in the database; look for them in the archive of the log`;
}

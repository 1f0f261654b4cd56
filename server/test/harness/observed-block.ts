import { untilTrue } from './deadline.ts';

/**
 * The duration of a block, as observed by its client. The block lasts at least until the last refused request was sent,
 * and at most until the first admitted request got its response. Both bounds hold no matter how slow this machine is.
 */
export interface ObservedBlock {
  readonly atLeastMs: number;
  readonly atMostMs: number;
}

/** Observes a block from its first request, which must be refused, to the first admitted one. */
export async function observeBlock(isRefused: () => Promise<boolean>): Promise<ObservedBlock> {
  const beganAfter = performance.now();
  if (!(await isRefused())) throw new Error('Nothing was blocked.');
  const beganBefore = performance.now();
  let refusedAt = beganBefore;
  await untilTrue(
    async () => {
      const sentAt = performance.now();
      const isOver = !(await isRefused());
      if (!isOver) refusedAt = sentAt;
      return isOver;
    },
    { waitingFor: 'the end of the block' },
  );
  return { atLeastMs: refusedAt - beganBefore, atMostMs: performance.now() - beganAfter };
}

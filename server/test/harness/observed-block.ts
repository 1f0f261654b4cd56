import { untilTrue } from './deadline.ts';

/**
 * How long a block lasts, as far as its client can tell. It lasts at least until the last refused request was sent, and at
 * most until the first admitted one was answered: both hold however slowly this machine sends and answers.
 */
export interface ObservedBlock {
  readonly atLeastMs: number;
  readonly atMostMs: number;
}

/** The first request begins the block, and has to be refused. */
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

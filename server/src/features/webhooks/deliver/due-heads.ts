import type { WaitingHead } from './run-store.ts';

/** The records that a pass reads in order to send them again. A resent batch has up to 100. */
const leavesMax = 500;
const headsMax = 200;

/**
 * Returns the waiting events that are sent again in one pass, in order. If the endpoint is failing, there is one. There
 * are fewer of them if they have many records, because each record may have to be looked up by itself.
 */
export function chooseDue(heads: readonly WaitingHead[], isFailing: boolean): readonly WaitingHead[] {
  if (isFailing) return heads.slice(0, 1);
  const due = heads.filter(({ waitSeconds }) => waitSeconds === 0).slice(0, headsMax);
  let leaves = 0;
  const excess = due.findIndex((head, index) => (leaves += head.leaves.length) > leavesMax && index > 0);
  return excess < 0 ? due : due.slice(0, excess);
}

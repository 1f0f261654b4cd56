import { arrive, cleanUp } from './arrive.ts';
import { close, compare, leave, settle } from './hand-over.ts';
import type { Move } from './move.ts';
import { announce, bringKeys, copy, order, publish, subscribe } from './prepare.ts';

interface MoveStep {
  /** The name under which the source keeps that the step is done. */
  readonly name: string;
  readonly run: (move: Move) => Promise<void>;
}

/** Everything that moving a tenant takes, in order. Each step can be run again. */
export const moveSteps: readonly MoveStep[] = [
  { name: 'announced', run: announce },
  { name: 'ordered', run: order },
  { name: 'keyed', run: bringKeys },
  { name: 'published', run: publish },
  { name: 'subscribed', run: subscribe },
  { name: 'copied', run: copy },
  { name: 'settled', run: settle },
  { name: 'closed', run: close },
  { name: 'compared', run: compare },
  { name: 'decided', run: leave },
  { name: 'opened', run: arrive },
  { name: 'cleaned', run: ({ ends, tenantId }) => cleanUp(ends, tenantId) },
];

/** A hand-over that was interrupted begins again after this step. The tenant is open until then. */
const handOverAfter = 'copied';
const handOver: readonly string[] = ['settled', 'closed', 'compared'];

/** Returns the steps that remain after the last one that is done. */
export function stepsAfter(done: string): readonly MoveStep[] {
  const last = handOver.includes(done) ? handOverAfter : done;
  return moveSteps.slice(moveSteps.findIndex(({ name }) => name === last) + 1);
}

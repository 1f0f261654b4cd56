import { requireWanted } from './deadline.ts';
import { loopPace } from './tenant-pace.ts';
import type { Steps } from '../../core/steps/steps.ts';

/*
 * One thread serves all requests, so whatever a request computes, all others wait for. Work that can take longer than a
 * few milliseconds is done in pieces, and between two of them the event loop goes round once.
 */

/** What one turn of the event loop may take before the pieces that are left wait for the next. */
const turnMs = 2;
/** How long the loop is left to others between two pieces where several tenants use it. */
const restMs = 2;

let turnBegan: number | undefined;

/** Undefined where the present turn has time left; otherwise settled in the next. */
export function giveWay(): Promise<void> | undefined {
  return turnAgeMs() < turnMs ? undefined : wantedTurn();
}

/** Drives work to its end, in as many turns as it takes. It goes on by a step a turn at least, however busy the loop is. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  turnAgeMs();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const waiting = giveWay();
    if (waiting !== undefined) await waiting;
  }
}

/** Like `Promise.all` over a map, but one after the other, with other requests in between. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  if (items.length > 1) turnAgeMs();
  for (const [index, item] of items.entries()) {
    const result = map(item, index);
    // What is there already is not waited for: that would let everything else go first that is ready.
    results.push(result instanceof Promise ? await result : result);
    const waiting = index + 1 < items.length ? giveWay() : undefined;
    if (waiting !== undefined) await waiting;
  }
  return results;
}

/** Since somebody first asked in this turn. All requests share the turn, so it is not counted for each by itself. */
function turnAgeMs(): number {
  const now = performance.now();
  if (turnBegan !== undefined) return now - turnBegan;
  turnBegan = now;
  setImmediate(() => {
    turnBegan = undefined;
  });
  return 0;
}

/** The next turn, unless the request was given up meanwhile: nobody needs what is left to compute. */
async function wantedTurn(): Promise<void> {
  await nextTurn();
  requireWanted();
}

const waiting: (() => void)[] = [];

/**
 * Settled in a later turn of the loop, one piece of work a turn, in the order in which they asked: however many long
 * requests are under way, what else arrives waits for one piece of one of them. A timer or a promise would not do:
 * promises settle before the loop goes round.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) resumeLater();
  });
}

/** A request of another tenant takes several rounds of the loop: without a rest it would meet a piece in each. */
function resumeLater(): void {
  if (loopPace.isShared) setTimeout(resumeNext, restMs);
  else setImmediate(resumeNext);
}

function resumeNext(): void {
  const resume = waiting.shift();
  if (waiting.length > 0) resumeLater();
  // The work that goes on now counts from here, and not from when it is next asked about.
  turnAgeMs();
  resume?.();
}

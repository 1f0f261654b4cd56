import { requireWanted } from './deadline.ts';
import { loopPace } from './tenant-pace.ts';
import type { Steps } from '../../core/steps/steps.ts';

/*
 * One thread serves all requests, so all other requests wait while one computes. Work that can take longer than a few
 * milliseconds is split into pieces, with a round of the event loop after each.
 */

/** The time that one turn of the event loop may take. Remaining pieces wait for the next turn. */
const turnMs = 2;
/** The time for which the event loop is left to other work between two pieces, if several tenants use it. */
const restMs = 2;

let turnBegan: number | undefined;

/** Returns undefined if the current turn has time remaining, otherwise a promise that settles in the next turn. */
export function giveWay(): Promise<void> | undefined {
  return turnAgeMs() < turnMs ? undefined : wantedTurn();
}

/**
 * Runs work to its end, in as many turns as it takes. It completes at least one step per turn, no matter how busy the
 * event loop is.
 */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  turnAgeMs();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const waiting = giveWay();
    if (waiting !== undefined) await waiting;
  }
}

/** Maps items like `Promise.all` would, but one at a time, and lets other requests run in between. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  if (items.length > 1) turnAgeMs();
  for (const [index, item] of items.entries()) {
    const result = map(item, index);
    // A result that is already available is not awaited, because awaiting it would let all other ready work run first.
    results.push(result instanceof Promise ? await result : result);
    const waiting = index + 1 < items.length ? giveWay() : undefined;
    if (waiting !== undefined) await waiting;
  }
  return results;
}

/**
 * Returns the time since the first call in this turn. All requests share the turn, so it is not measured per request.
 */
function turnAgeMs(): number {
  const now = performance.now();
  if (turnBegan !== undefined) return now - turnBegan;
  turnBegan = now;
  setImmediate(() => {
    turnBegan = undefined;
  });
  return 0;
}

/**
 * Waits for the next turn. Throws if the request was given up in the meantime, because nobody needs the result any
 * more.
 */
async function wantedTurn(): Promise<void> {
  await nextTurn();
  requireWanted();
}

const waiting: (() => void)[] = [];

/**
 * Returns a promise that settles in a later turn of the loop. Each turn resumes one piece of work, in the order of the
 * calls. No matter how many long requests are in progress, other requests wait for only one piece of one of them. Plain
 * promises would not work here, because they settle before the event loop starts its next round.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) resumeLater();
  });
}

/**
 * Resumes the next piece. A request of another tenant takes several rounds of the event loop. Without a pause, a piece
 * would delay it in each of them.
 */
function resumeLater(): void {
  if (loopPace.isShared) setTimeout(resumeNext, restMs);
  else setImmediate(resumeNext);
}

function resumeNext(): void {
  const resume = waiting.shift();
  if (waiting.length > 0) resumeLater();
  // The turn of the resumed work is measured from here, not from its next check.
  turnAgeMs();
  resume?.();
}

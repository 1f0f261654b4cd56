import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { Transaction } from '../../database/database.ts';
import type { DrawerSet } from '../drawers.ts';
import { countMoved, forgetArrivals, listArrivedTenants, moverWithin, readArrivals } from './arrival-store.ts';
import { deleteCopies, deleteLeft, deleteStrays } from './copy-removal.ts';
import type { DrawerMove, LinkedNode, MovePlaces, MoveState } from './drawer-move.ts';
import {
  disableTriggers,
  dropTriggers,
  findMove,
  insertMove,
  lockOutWriters,
  saveState,
  saveTenants,
  saveUncounted,
  updateHeld,
} from './drawer-move-store.ts';
import { requireHeldByNobody, requireHeldBySource } from './holder-checks.ts';
import { forgetChanges } from './journal-store.ts';
import { withLockPatience } from './lock-patience.ts';
import { findReceivedCounts, insertReceipt } from './receipt-store.ts';
import { TokenCopier } from './token-copier.ts';
import { asMover } from './token-copy-store.ts';

const changesPerPage = 10_000;
/**
 * Changes are followed in rounds until one is short: about as long takes the last one, while nobody holds the drawers. Where many are
 * written, rounds become no shorter than it takes to follow what is written meanwhile; then a longer one will do. Servers wait for five
 * seconds.
 */
const shortRoundMs = 100;
const longRoundMs = 1_500;
/** For an answer of the target while nobody holds the drawers. */
const answerMaxMs = 5_000;
const roundsForShort = 10;
const roundsMax = 200;

/** What has just been done, in the order in which it is. Some are told many times. */
export type MoveStep =
  | 'began'
  | 'page-copied'
  | 'copied'
  | 'followed'
  | 'leaving'
  | 'followed-all'
  | 'uncounted'
  | 'taken-back'
  | 'held'
  | 'arrived'
  | 'page-deleted'
  | 'deleted'
  | 'giving-up'
  | 'ended';

export interface MoveReport {
  readonly drawers: number;
  readonly tokens: number;
  /** For how long nobody held the drawers; undefined where that was begun by an earlier run. */
  readonly gapMs: number | undefined;
  readonly isGivenUp: boolean;
}

export interface MoveWatch {
  /** Told after each step; a move that is stopped here goes on from here. */
  onStep?(step: MoveStep, tokens: number): void | Promise<void>;
}

/**
 * Moves drawers from one database to another. Every step is written down with what it does, in one transaction on one database, or can
 * be repeated: whoever comes after a move that was killed runs it from the state that it is in. What an earlier run has done is looked at
 * again, since a database may have been restored to an earlier state in between.
 */
export class DrawerMover {
  readonly #places: MovePlaces;
  readonly #watch: MoveWatch;
  #copier: TokenCopier | undefined;
  #isTargetEmpty = false;
  #tokens = 0;
  /** Since when nobody holds the drawers, by what this run has done. */
  #leftAt: number | undefined;
  #gapMs: number | undefined;

  constructor(places: MovePlaces, watch: MoveWatch = {}) {
    this.#places = places;
    this.#watch = watch;
  }

  async begin(drawers: DrawerSet): Promise<void> {
    const { source, target } = this.#places;
    await requireHeldBySource(this.#places, drawers);
    this.#isTargetEmpty = (await asMover(target.link, undefined, listArrivedTenants)).length === 0;
    await withLockPatience(source, (tx) => insertMove(tx, { to: target.name, drawers }));
    await this.#tell('began');
  }

  /** Does whatever is left to be done of a move that has begun. */
  async run(): Promise<MoveReport> {
    const steps: Partial<Record<MoveState, (move: DrawerMove) => Promise<void>>> = {
      copying: (move) => this.#copy(move),
      leaving: (move) => (this.#leftAt === undefined ? this.#settle(move) : this.#handOver(move)),
      arrived: (move) => this.#clean(move),
      'giving-up': (move) => this.#undo(move),
    };
    let last: DrawerMove | undefined;
    for (;;) {
      const move = await findMove(this.#places.source.link);
      if (move === undefined) break;
      await steps[move.state]?.(move);
      last = move;
    }
    const isGivenUp = last?.state === 'giving-up';
    return { drawers: last?.drawers.size ?? 0, tokens: this.#tokens, gapMs: this.#gapMs, isGivenUp };
  }

  /** Only while the target has not received the drawers: then nothing is lost if the copies are deleted. */
  async giveUp(move: DrawerMove): Promise<void> {
    if ((await this.#findReceived(move)) !== undefined) throw tooLate(this.#places);
    if (move.state === 'leaving') await this.#settle(move);
    await this.#save(move, 'giving-up');
    await this.#tell('giving-up');
  }

  async #copy(move: DrawerMove): Promise<void> {
    const { source } = this.#places;
    await requireHeldBySource(this.#places, move.drawers);
    if (!this.#isTargetEmpty) await deleteStrays(this.#places, move);
    const copier = this.#copierOf(move);
    await copier.copyAll({ isTargetEmpty: this.#isTargetEmpty }, (tokens) => this.#tell('page-copied', tokens));
    await this.#tell('copied');
    await followUntilShort(copier, source);
    await this.#tell('followed');
    this.#leftAt = await withLockPatience(source, async (tx) => {
      await saveTenants(tx, move);
      await lockOutWriters(tx);
      const lockedAt = performance.now();
      await updateHeld(tx, (held) => held.without(move.drawers));
      await saveState(tx, move, 'leaving');
      return lockedAt;
    });
    await this.#tell('leaving');
  }

  /** Nobody holds the drawers meanwhile. If it does not succeed, the source takes them back, unless the target may have them. */
  async #handOver(move: DrawerMove): Promise<void> {
    const { source, target } = this.#places;
    try {
      await target.link.withAnswersWithin(answerMaxMs, () => this.#copierOf(move).followAll());
      await this.#tell('followed-all');
      const counts = await asMover(target.link, undefined, readArrivals);
      await source.link.transaction((tx) => stopCounting(tx, move, counts));
      await this.#tell('uncounted');
    } catch (error) {
      await this.#takeBack(move).catch(() => undefined);
      throw error;
    }
    try {
      await target.link.withAnswersWithin(answerMaxMs, () => this.#receive(move));
    } catch (error) {
      await this.#settle(move).catch(() => undefined);
      throw error;
    }
    if (this.#leftAt !== undefined) this.#gapMs = performance.now() - this.#leftAt;
    await this.#tell('held');
    await this.#save(move, 'arrived');
    await this.#tell('arrived');
  }

  async #receive(move: DrawerMove): Promise<void> {
    await this.#places.target.link.transaction(async (tx) => {
      await updateHeld(tx, (held) => held.with(move.drawers));
      const counts = await moverWithin(tx, async () => {
        const arrived = await readArrivals(tx);
        await countMoved(tx, arrived, 1);
        await forgetArrivals(tx);
        return arrived;
      });
      await insertReceipt(tx, move, counts);
    });
  }

  /** Of drawers that nobody seems to hold: the target has received them, or the source takes them back and they are compared again. */
  async #settle(begun: DrawerMove): Promise<void> {
    const received = await this.#findReceived(begun);
    if (received === undefined) {
      await requireHeldByNobody(this.#places, begun.drawers);
      await this.#takeBack(begun);
      return;
    }
    const move = await this.#readAgain(begun);
    await this.#places.source.link.transaction(async (tx) => {
      if (move.uncounted === undefined) await stopCounting(tx, move, received);
      await saveState(tx, move, 'arrived');
    });
    await this.#tell('arrived');
  }

  async #takeBack(begun: DrawerMove): Promise<void> {
    const move = await this.#readAgain(begun);
    await this.#places.source.link.transaction(async (tx) => {
      await updateHeld(tx, (held) => held.with(move.drawers));
      await saveState(tx, move, 'copying');
      await saveUncounted(tx, move, undefined);
      await moverWithin(tx, () => countMoved(tx, move.uncounted ?? '{}', 1));
    });
    this.#leftAt = undefined;
    this.#isTargetEmpty = false;
    await this.#tell('taken-back');
  }

  /** As it is now: the source may have stopped counting meanwhile. */
  async #readAgain({ id }: DrawerMove): Promise<DrawerMove> {
    const move = await findMove(this.#places.source.link);
    if (move?.id !== id) throw new Error('The move is no longer under way.');
    return move;
  }

  async #clean(move: DrawerMove): Promise<void> {
    if ((await this.#findReceived(move)) === undefined) throw notReceived(this.#places);
    await deleteLeft(this.#places, move, (tokens) => this.#tell('page-deleted', tokens));
    await this.#tell('deleted');
    await this.#end(move, 'done');
  }

  async #undo(move: DrawerMove): Promise<void> {
    await requireHeldBySource(this.#places, move.drawers);
    await deleteCopies(this.#places, (tokens) => this.#tell('page-deleted', tokens));
    await this.#tell('deleted');
    await this.#end(move, 'given-up');
  }

  #findReceived(move: DrawerMove): Promise<string | undefined> {
    return this.#places.target.link.transaction((tx) => findReceivedCounts(tx, move));
  }

  /** Stops listing changes. Triggers that cannot be dropped while somebody reads for long are left behind, and do nothing. */
  async #end(move: DrawerMove, state: 'done' | 'given-up'): Promise<void> {
    const { source } = this.#places;
    await withLockPatience(source, disableTriggers);
    while ((await asMover(source.link, undefined, (tx) => forgetChanges(tx, changesPerPage))) > 0);
    await this.#save(move, state);
    await withLockPatience(source, dropTriggers, 'brief').catch((error: unknown) => {
      if (!(error instanceof OperatorError)) throw error;
    });
    await this.#tell('ended');
  }

  /** The same throughout a move: it knows which tenants it has made known to the target. */
  #copierOf(move: DrawerMove): TokenCopier {
    this.#copier ??= new TokenCopier(this.#places, move);
    return this.#copier;
  }

  async #save(move: DrawerMove, state: MoveState): Promise<void> {
    await this.#places.source.link.transaction((tx) => saveState(tx, move, state));
  }

  async #tell(step: MoveStep, tokens = 0): Promise<void> {
    if (step === 'page-copied') this.#tokens += tokens;
    await this.#watch.onStep?.(step, tokens);
  }
}

async function stopCounting(tx: Transaction, move: DrawerMove, counts: string): Promise<void> {
  await saveUncounted(tx, move, counts);
  await moverWithin(tx, () => countMoved(tx, counts, -1));
}

async function followUntilShort(copier: TokenCopier, source: LinkedNode): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    const startedAt = performance.now();
    await copier.followSome();
    const enoughMs = round < roundsForShort ? shortRoundMs : longRoundMs;
    if (performance.now() - startedAt <= enoughMs) return;
  }
  throw tooBusy(source);
}

function tooBusy({ name }: LinkedNode): OperatorError {
  return new OperatorError(
    `Tokens of ${name} change faster than they can be copied. Run the command again when fewer are written: it continues where it left off.`,
  );
}

function notReceived({ source, target }: MovePlaces): OperatorError {
  return new OperatorError(
    `${target.name} does not know that it has received drawers from ${source.name}: it was restored to an earlier state. Nothing is deleted from ${source.name}. See "After a restore" in docs/operate/scale-out.md.`,
  );
}

function tooLate({ source, target }: MovePlaces): OperatorError {
  return new OperatorError(
    `The drawers have already left ${source.name} for ${target.name}. Run \`strongroom nodes move\` to complete the move.`,
  );
}

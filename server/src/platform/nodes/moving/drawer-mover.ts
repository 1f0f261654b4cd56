import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { DrawerSet } from '../drawers.ts';
import { listArrivedTenants } from './arrival-store.ts';
import { deleteCopies, deleteLeft, deleteStrays } from './copy-removal.ts';
import { type DrawerMove, hasLeft, type LinkedNode, type MovePlaces, type MoveState } from './drawer-move.ts';
import {
  disableTriggers,
  dropTriggers,
  findMove,
  insertMove,
  lockOutWriters,
  noteChanges,
  renewMove,
  saveDeleting,
  saveState,
  saveTenants,
  updateHeld,
} from './drawer-move-store.ts';
import { confirmRelease } from './drawer-release.ts';
import { HandOver } from './hand-over.ts';
import { requireHeldBySource, requireHeldElsewhere, requireNoneLeft } from './holder-checks.ts';
import { forgetChanges } from './journal-store.ts';
import { withLockPatience } from './lock-patience.ts';
import type { MoveStep } from './move-step.ts';
import { confirmReceipt } from './receipt-store.ts';
import { TokenCopier } from './token-copier.ts';
import { asMover } from './token-copy-store.ts';
import { ensureGuarded } from '../node-adding-store.ts';

const changesPerPage = 10_000;
/**
 * Changes are followed in rounds until one is short: about as long takes the last one, while nobody holds the drawers. Where many are
 * written, rounds become no shorter than it takes to follow what is written meanwhile; then a longer one will do. Servers wait for five
 * seconds.
 */
const shortRoundMs = 100;
const longRoundMs = 1_500;
const roundsForShort = 10;
const roundsMax = 200;

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
  readonly #handOver: HandOver;
  #copier: TokenCopier | undefined;
  #hasBegun = false;
  #isTargetEmpty = false;
  #tokens = 0;
  /** Since when nobody holds the drawers, by what this run has done. */
  #leftAt: number | undefined;
  #gapMs: number | undefined;

  constructor(places: MovePlaces, watch: MoveWatch = {}) {
    this.#places = places;
    this.#watch = watch;
    this.#handOver = new HandOver(places, (step) => this.#tell(step));
  }

  async begin(drawers: DrawerSet): Promise<void> {
    const { source, target } = this.#places;
    await requireHeldBySource(this.#places, drawers);
    for (const node of [source, target]) await ensureGuarded(node);
    this.#isTargetEmpty = (await asMover(target.link, undefined, listArrivedTenants)).length === 0;
    await withLockPatience(source, (tx) => insertMove(tx, { to: target.name, drawers }));
    this.#hasBegun = true;
    await this.#tell('began');
  }

  /** Does whatever is left to be done of a move that has begun. */
  async run(): Promise<MoveReport> {
    const steps: Partial<Record<MoveState, (move: DrawerMove) => Promise<void>>> = {
      copying: (move) => this.#copy(move),
      leaving: (move) => this.#leave(move),
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
    if (hasLeft(move)) {
      if (await this.#handOver.isReceived(move)) {
        await requireHeldElsewhere(this.#places, move.drawers);
        throw tooLate(this.#places);
      }
      if (move.isRelease) throw beingReleased(this.#places);
      if (move.isDeleting) await this.#handOver.requireReceived(move);
      await this.#handOver.settle(move);
    }
    await this.#save(move, 'giving-up');
    await this.#tell('giving-up');
  }

  /** Only while the target has not received the drawers. Others may claim them: an operator is about to say who is right. */
  async takeBack(move: DrawerMove): Promise<void> {
    await this.#handOver.takeBack(move);
  }

  async #copy(move: DrawerMove): Promise<void> {
    const { source } = this.#places;
    await requireHeldBySource(this.#places, move.drawers);
    await requireNoneLeft(this.#places, move.drawers);
    // The source holds them, so the receipt is of an earlier time: they have come back, and the source was restored to before they left.
    if (await this.#handOver.isReceived(move)) return source.link.transaction((tx) => renewMove(tx, move));
    if (!this.#hasBegun) await withLockPatience(source, (tx) => noteChanges(tx, move));
    if (!this.#isTargetEmpty) await deleteStrays(this.#places, move);
    const copier = this.#copierOf(move);
    await copier.copyAll({ isTargetEmpty: this.#isTargetEmpty }, (tokens) => this.#tell('page-copied', tokens));
    // Whoever copies again compares.
    this.#isTargetEmpty = false;
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

  /** What an earlier run has begun to hand over is settled: it has arrived, or is copied again. */
  async #leave(move: DrawerMove): Promise<void> {
    if (move.isRelease) {
      await this.#tell('released');
      await confirmRelease(this.#places, move);
    }
    if (this.#leftAt === undefined) await this.#handOver.settle(move);
    else this.#gapMs = await this.#handOver.run(move, this.#copierOf(move), this.#leftAt);
  }

  async #clean(move: DrawerMove): Promise<void> {
    const { source, target } = this.#places;
    if (!move.isDeleting && !(await this.#handOver.isReceived(move))) return this.#handOver.settle(move);
    await this.#handOver.requireReceived(move);
    await requireHeldElsewhere(this.#places, move.drawers);
    await target.link.transaction((tx) => confirmReceipt(tx, move));
    await source.link.transaction((tx) => saveDeleting(tx, move));
    await deleteLeft(this.#places, move, {
      requireReceived: () => this.#handOver.requireReceived(move),
      onPage: (tokens) => this.#tell('page-deleted', tokens),
    });
    await this.#tell('deleted');
    await this.#end(move, 'done');
  }

  async #undo(move: DrawerMove): Promise<void> {
    await requireHeldBySource(this.#places, move.drawers);
    await deleteCopies(this.#places, (tokens) => this.#tell('page-deleted', tokens));
    await this.#tell('deleted');
    await this.#end(move, 'given-up');
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

function beingReleased({ source, target }: MovePlaces): OperatorError {
  return new OperatorError(
    `${source.name} gives up drawers that ${target.name} holds. Run \`strongroom nodes release --from ${source.name} --to ${target.name}\` again to complete that.`,
  );
}

function tooLate({ source, target }: MovePlaces): OperatorError {
  return new OperatorError(
    `The drawers have already left ${source.name} for ${target.name}. Run \`strongroom nodes move --from ${source.name} --to ${target.name}\` to complete the move.`,
  );
}

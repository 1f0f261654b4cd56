import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { Transaction } from '../../database/database.ts';
import { countMoved, forgetArrivals, moverWithin, readArrivals } from './arrival-store.ts';
import type { DrawerMove, MovePlaces } from './drawer-move.ts';
import { findMove, saveState, saveUncounted, updateHeld } from './drawer-move-store.ts';
import { requireHeldByNobody, requireHeldElsewhere } from './holder-checks.ts';
import type { MoveStep } from './move-step.ts';
import { findReceivedCounts, insertReceipt } from './receipt-store.ts';
import type { TokenCopier } from './token-copier.ts';
import { asMover } from './token-copy-store.ts';

/** For an answer of the target while nobody holds the drawers. */
const answerMaxMs = 5_000;

/** Drawers that have left the source: the target receives them, or the source takes them back. Nobody holds them meanwhile. */
export class HandOver {
  readonly #places: MovePlaces;
  readonly #tell: (step: MoveStep) => Promise<void>;

  constructor(places: MovePlaces, tell: (step: MoveStep) => Promise<void>) {
    this.#places = places;
    this.#tell = tell;
  }

  /** If it does not succeed, the source takes them back, unless the target may have them. Returns how long it took since `leftAt`. */
  async run(move: DrawerMove, copier: TokenCopier, leftAt: number): Promise<number> {
    const { source, target } = this.#places;
    try {
      await target.link.withAnswersWithin(answerMaxMs, () => copier.followAll());
      await this.#tell('followed-all');
      const counts = await asMover(target.link, undefined, readArrivals);
      await source.link.transaction((tx) => stopCounting(tx, move, counts));
      await this.#tell('uncounted');
    } catch (error) {
      await this.takeBack(move).catch(() => undefined);
      throw error;
    }
    try {
      await target.link.withAnswersWithin(answerMaxMs, () => this.#receive(move));
    } catch (error) {
      await this.settle(move).catch(() => undefined);
      throw error;
    }
    const gapMs = performance.now() - leftAt;
    await this.#tell('held');
    await copier.acquaintFollowed();
    await source.link.transaction((tx) => saveState(tx, move, 'arrived'));
    await this.#tell('arrived');
    return gapMs;
  }

  /** Of drawers that nobody seems to hold: the target has received them, or the source takes them back and they are copied again. */
  async settle(begun: DrawerMove): Promise<void> {
    const received = await this.#findReceived(begun);
    if (received === undefined) {
      await requireHeldByNobody(this.#places, begun.drawers);
      await this.takeBack(begun);
      return;
    }
    await requireHeldElsewhere(this.#places, begun.drawers);
    const move = await this.#readAgain(begun);
    await this.#places.source.link.transaction(async (tx) => {
      if (move.uncounted === undefined) await stopCounting(tx, move, received);
      await saveState(tx, move, 'arrived');
    });
    await this.#tell('arrived');
  }

  async isReceived(move: DrawerMove): Promise<boolean> {
    return (await this.#findReceived(move)) !== undefined;
  }

  /** Throws an error for the operator if the target does not know that it has them. */
  async requireReceived(move: DrawerMove): Promise<void> {
    if (!(await this.isReceived(move))) throw notReceived(this.#places);
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

  /** Only while the target cannot have them. */
  async takeBack(begun: DrawerMove): Promise<void> {
    const move = await this.#readAgain(begun);
    await this.#places.source.link.transaction(async (tx) => {
      await updateHeld(tx, (held) => held.with(move.drawers));
      // A release has copied nothing, and there is nothing to be copied.
      await saveState(tx, move, move.isRelease ? 'giving-up' : 'copying');
      await saveUncounted(tx, move, undefined);
      await moverWithin(tx, () => countMoved(tx, move.uncounted ?? '{}', 1));
    });
    await this.#tell('taken-back');
  }

  #findReceived(move: DrawerMove): Promise<string | undefined> {
    return this.#places.target.link.transaction((tx) => findReceivedCounts(tx, move));
  }

  /** As it is now: the source may have stopped counting meanwhile. */
  async #readAgain({ id }: DrawerMove): Promise<DrawerMove> {
    const move = await findMove(this.#places.source.link);
    if (move?.id !== id) throw new Error('The move is no longer under way.');
    return move;
  }
}

async function stopCounting(tx: Transaction, move: DrawerMove, counts: string): Promise<void> {
  await saveUncounted(tx, move, counts);
  await moverWithin(tx, () => countMoved(tx, counts, -1));
}

function notReceived({ source, target }: MovePlaces): OperatorError {
  return new OperatorError(
    `${target.name} does not know that it has received drawers from ${source.name}: it was restored to an earlier state. Nothing is deleted from ${source.name}. See "After a restore" in docs/operate/scale-out.md.`,
  );
}

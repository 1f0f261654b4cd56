import { OperatorError } from '../../../core/errors/operator-error.ts';
import { drawerOf, type DrawerSet } from '../drawers.ts';
import { countMoved, forgetArrivals, moverWithin, readArrivals } from './arrival-store.ts';
import type { DrawerMove, LinkedNode, MovePlaces, MoveState } from './drawer-move.ts';
import {
  disableTriggers,
  dropTriggers,
  findMove,
  insertMove,
  listTenants,
  lockOutWriters,
  readHeldIn,
  saveState,
  saveTenants,
  updateHeld,
} from './drawer-move-store.ts';
import { forgetChanges } from './journal-store.ts';
import { withLockPatience } from './lock-patience.ts';
import { TokenCopier } from './token-copier.ts';
import { asMover, deleteTokens, listIds } from './token-copy-store.ts';

const idsPerPage = 1_000;
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

/** What has just been done, in the order in which it is. Some are told many times. */
export type MoveStep =
  | 'began'
  | 'page-copied'
  | 'copied'
  | 'followed'
  | 'leaving'
  | 'followed-all'
  | 'left'
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
 * be repeated: whoever comes after a move that was killed runs it from the state that it is in.
 */
export class DrawerMover {
  readonly #places: MovePlaces;
  readonly #watch: MoveWatch;
  #copier: TokenCopier | undefined;
  #tokens = 0;
  #leftAt: number | undefined;
  #gapMs: number | undefined;

  constructor(places: MovePlaces, watch: MoveWatch = {}) {
    this.#places = places;
    this.#watch = watch;
  }

  async begin(drawers: DrawerSet): Promise<void> {
    const { source, target } = this.#places;
    await withLockPatience(source, async (tx) => {
      if (!(await readHeldIn(tx)).includes(drawers)) throw notHeld(source);
      await insertMove(tx, { to: target.name, drawers });
    });
    await this.#tell('began');
  }

  /** Does whatever is left to be done of a move that has begun. */
  async run(): Promise<MoveReport> {
    const steps: Partial<Record<MoveState, (move: DrawerMove) => Promise<void>>> = {
      copying: (move) => this.#copy(move),
      leaving: (move) => this.#follow(move),
      left: (move) => this.#arrive(move),
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

  /** Only while the source still holds the drawers: then nothing is lost if the copies are deleted. */
  async giveUp(move: DrawerMove): Promise<void> {
    if (move.state !== 'copying' && move.state !== 'giving-up') throw tooLate(this.#places);
    await this.#save(move, 'giving-up');
    await this.#tell('giving-up');
  }

  async #copy(move: DrawerMove): Promise<void> {
    const { source } = this.#places;
    const copier = this.#copierOf(move);
    await copier.copyAll((tokens) => this.#tell('page-copied', tokens));
    await this.#tell('copied');
    await followUntilShort(copier, source);
    await this.#tell('followed');
    const leftAt = await withLockPatience(source, async (tx) => {
      await saveTenants(tx, move);
      await lockOutWriters(tx);
      const lockedAt = performance.now();
      await updateHeld(tx, (held) => held.without(move.drawers));
      await saveState(tx, move, 'leaving');
      return lockedAt;
    });
    this.#leftAt = leftAt;
    await this.#tell('leaving');
  }

  async #follow(move: DrawerMove): Promise<void> {
    const { source, target } = this.#places;
    await this.#copierOf(move).followAll();
    await this.#tell('followed-all');
    const counts = await asMover(target.link, undefined, readArrivals);
    await source.link.transaction(async (tx) => {
      await saveState(tx, move, 'left');
      await moverWithin(tx, () => countMoved(tx, counts, -1));
    });
    await this.#tell('left');
  }

  async #arrive(move: DrawerMove): Promise<void> {
    const { target } = this.#places;
    await target.link.transaction(async (tx) => {
      // Then an earlier run has done it, and did not come to write that down at the source.
      if ((await readHeldIn(tx)).includes(move.drawers)) return;
      await updateHeld(tx, (held) => held.with(move.drawers));
      await moverWithin(tx, async () => {
        await countMoved(tx, await readArrivals(tx), 1);
        await forgetArrivals(tx);
      });
    });
    if (this.#leftAt !== undefined) this.#gapMs = performance.now() - this.#leftAt;
    await this.#tell('held');
    await this.#save(move, 'arrived');
    await this.#tell('arrived');
  }

  async #clean(move: DrawerMove): Promise<void> {
    await this.#deleteCopies(move, this.#places.source);
    await this.#end(move, 'done');
  }

  async #undo(move: DrawerMove): Promise<void> {
    await this.#deleteCopies(move, this.#places.target);
    await asMover(this.#places.target.link, undefined, forgetArrivals);
    await this.#end(move, 'given-up');
  }

  async #deleteCopies(move: DrawerMove, { link }: LinkedNode): Promise<void> {
    for (const tenantId of await listTenants(this.#places.source.link, move)) {
      for (let after: string | undefined = ''; after !== undefined; ) {
        const page = { after, limit: idsPerPage };
        const ids: string[] = await asMover(link, tenantId, (tx) => listIds(tx, tenantId, page));
        const own = ids.filter((id) => move.drawers.has(drawerOf(id)));
        const deleted = await asMover(link, tenantId, (tx) => deleteTokens(tx, tenantId, own));
        await this.#tell('page-deleted', deleted);
        after = ids.at(-1);
      }
    }
    await this.#tell('deleted');
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

function notHeld({ name }: LinkedNode): OperatorError {
  return new OperatorError(`${name} does not hold all of these drawers.`);
}

function tooBusy({ name }: LinkedNode): OperatorError {
  return new OperatorError(
    `Tokens of ${name} change faster than they can be copied. Run the command again when fewer are written: it continues where it left off.`,
  );
}

function tooLate({ source, target }: MovePlaces): OperatorError {
  return new OperatorError(
    `The drawers have already left ${source.name} for ${target.name}. Run \`strongroom nodes move\` to complete the move.`,
  );
}

import { OperatorError } from '../../../core/errors/operator-error.ts';
import { OwnerLink } from '../../database/owner-link.ts';
import { DrawerSet } from '../drawers.ts';
import type { OwnedNode } from '../../config/owned-nodes.ts';
import { type PlannedMove, planBalance } from './balance-plan.ts';
import { canComeBack, type DrawerMove, hasLeft, type LinkedNode, type MovePlaces } from './drawer-move.ts';
import { findMove } from './drawer-move-store.ts';
import { beginRelease, isReleasing } from './drawer-release.ts';
import { DrawerMover, type MoveReport, type MoveWatch } from './drawer-mover.ts';
import { requireOrder } from './holder-checks.ts';
import { rememberNodes } from '../node-adding-store.ts';
import { isReceived } from '../node-store.ts';
import { findIdentity, readIdentity } from './node-overview-store.ts';
import { movingSession, takeMovingLock } from './moving-lock-store.ts';
import { requireKnownByAll } from './node-use.ts';

export interface MovingOptions {
  /** All databases of the vault, home first. */
  readonly nodes: readonly OwnedNode[];
  readonly requiresStandby?: boolean | undefined;
  readonly watch?: MoveWatch | undefined;
}

/** A move that has ended. */
export interface EndedMove extends MoveReport {
  readonly from: string;
  readonly to: string;
}

interface UnfinishedMove {
  readonly source: LinkedNode;
  readonly move: DrawerMove;
}

/** The one that moves drawers of a vault: it has a session on each of its databases, and no other has. */
export class DrawerMoving {
  readonly #nodes: readonly LinkedNode[];
  readonly #watch: MoveWatch | undefined;

  /** Throws an error for the operator if another moves drawers at this time, or if a database cannot be reached. */
  static with<T>(options: MovingOptions, work: (moving: DrawerMoving) => Promise<T>): Promise<T> {
    return withLinks(options, [], (nodes) => work(new DrawerMoving(nodes, options.watch)));
  }

  private constructor(nodes: readonly LinkedNode[], watch: MoveWatch | undefined) {
    this.#nodes = nodes;
    this.#watch = watch;
  }

  /** Completes moves that were interrupted. Nothing else may be moved before. */
  async finish(): Promise<EndedMove[]> {
    await requireOrder(this.#nodes);
    const ended: EndedMove[] = [];
    for (const { source, move } of await this.#listUnfinished()) {
      const places = this.#places(source.name, move.to);
      await this.#requireKnown(places, move);
      ended.push({ from: source.name, to: move.to, ...(await new DrawerMover(places, this.#watch).run()) });
    }
    return ended;
  }

  /** Undoes moves that were interrupted before drawers had left. */
  async giveUp(): Promise<EndedMove[]> {
    await requireOrder(this.#nodes);
    const ended: EndedMove[] = [];
    // Those that can no longer be given up come last.
    for (const { source, move } of (await this.#listUnfinished()).toReversed()) {
      const mover = new DrawerMover(this.#places(source.name, move.to), this.#watch);
      await mover.giveUp(move);
      ended.push({ from: source.name, to: move.to, ...(await mover.run()) });
    }
    return ended;
  }

  /** Makes a database that was restored give up what another holds as well, and deletes its tokens of those drawers. */
  async release({ from, to }: Pick<PlannedMove, 'from' | 'to'>): Promise<EndedMove> {
    const places = this.#places(from, to);
    const ended = await this.#finishReceived(places.source);
    if (ended?.isRelease === true && ended.to === to) return ended;
    await this.#requireKnown(places);
    // One that was stopped goes on: servers already serve these drawers from the other.
    if (!(await isReleasing(places))) {
      for (const node of [places.source, places.target]) await this.#takeBack(node);
      await beginRelease(places);
    }
    return { from, to, ...(await new DrawerMover(places, this.#watch).run()) };
  }

  /** Moves so many drawers; all that there are by default. */
  async move({ from, to, drawers }: Pick<PlannedMove, 'from' | 'to'> & { drawers?: number }): Promise<EndedMove> {
    const places = this.#places(from, to);
    await requireOrder(this.#nodes);
    if ((await this.#listUnfinished()).length > 0) throw new TypeError('A move is to be completed first.');
    const own = (await readIdentity(places.source.link)).held.list();
    const count = drawers ?? own.length;
    if (count > own.length) {
      throw new OperatorError(`${from} holds ${own.length} drawers, so that it cannot give ${count}.`);
    }
    if (count === 0) return { from, to, drawers: 0, tokens: 0, gapMs: undefined, isGivenUp: false };
    await this.#requireKnown(places);
    const mover = new DrawerMover(places, this.#watch);
    await mover.begin(DrawerSet.of(own.slice(0, count)));
    return { from, to, ...(await mover.run()) };
  }

  /** The moves after which all hold as many drawers, within one; home holds none if it is to be spared. */
  async planBalance({ withoutHome }: { readonly withoutHome: boolean }): Promise<PlannedMove[]> {
    const held = new Map<string, number>();
    for (const { name, link } of this.#nodes) held.set(name, (await readIdentity(link)).held.size);
    return planBalance(held, (name) => withoutHome && name === this.#nodes[0]?.name);
  }

  /**
   * Nothing moves while a process does not know all nodes. Home is told again of a move that was begun before, since it may have been
   * restored. What the target has received already is only deleted, and what is given up stays where it is.
   */
  async #requireKnown(places: MovePlaces, begun?: DrawerMove): Promise<void> {
    if (begun?.state === 'giving-up' || (begun !== undefined && (await this.#isReceived(begun)))) return;
    await rememberNodes(places.home, this.#nodes);
    await requireKnownByAll(places);
  }

  /** What another has received cannot be taken back, whatever else the databases disagree about. */
  async #finishReceived(source: LinkedNode): Promise<(EndedMove & Pick<DrawerMove, 'isRelease'>) | undefined> {
    const move = await findMove(source.link);
    if (move === undefined || !(await this.#isReceived(move))) return undefined;
    const { to, isRelease } = move;
    const report = await new DrawerMover(this.#places(source.name, to), this.#watch).run();
    return { from: source.name, to, isRelease, ...report };
  }

  /** Those whose drawers have arrived come first: their sources delete what is left there before the same drawers come back. */
  async #listUnfinished(): Promise<UnfinishedMove[]> {
    const received: UnfinishedMove[] = [];
    const others: UnfinishedMove[] = [];
    for (const source of this.#nodes) {
      const move = await findMove(source.link);
      if (move === undefined) continue;
      const isDecided = move.isRelease || (await this.#isReceived(move));
      (isDecided ? received : others).push({ source, move });
    }
    return [...received, ...others];
  }

  async #isReceived(move: DrawerMove): Promise<boolean> {
    return hasLeft(move) && this.#find(move.to).link.transaction((tx) => isReceived(tx, move.id));
  }

  /** What nobody has received is held by its source again, even if another claims it: then both can be compared. */
  async #takeBack(source: LinkedNode): Promise<void> {
    const move = await findMove(source.link);
    if (move === undefined || !canComeBack(move) || (await this.#isReceived(move))) return;
    await new DrawerMover(this.#places(source.name, move.to), this.#watch).takeBack(move);
  }

  #places(from: string, to: string): MovePlaces {
    if (from === to) throw new OperatorError('Drawers move from one database to another: name two.');
    const home = this.#find(this.#nodes[0]?.name);
    return { all: this.#nodes, home, source: this.#find(from), target: this.#find(to) };
  }

  #find(name: string | undefined): LinkedNode {
    const node = this.#nodes.find((one) => one.name === name);
    if (node === undefined) throw unknownNode(name);
    return node;
  }
}

/** Opens a session on each, one within the other, and checks that it is what its name says. */
function withLinks<T>(
  { nodes, requiresStandby }: MovingOptions,
  linked: readonly LinkedNode[],
  work: (linked: readonly LinkedNode[]) => Promise<T>,
): Promise<T> {
  const next = nodes[linked.length];
  if (next === undefined) return work(linked);
  const { name, ownerUrl: url } = next;
  const variable = linked.length === 0 ? 'STRONGROOM_DATABASE_OWNER_URL' : 'STRONGROOM_NODE_OWNERS';
  return OwnerLink.with({ url, variable, applicationName: movingSession, requiresStandby }, async (link) => {
    await requireFit({ name, link }, linked[0]);
    await takeMovingLock(link);
    return withLinks({ nodes, requiresStandby }, [...linked, { name, link }], work);
  });
}

async function requireFit({ name, link }: LinkedNode, home: LinkedNode | undefined): Promise<void> {
  const own = await findIdentity(link);
  const vaultId = home === undefined ? own?.vaultId : (await readIdentity(home.link)).vaultId;
  if (own?.name === name && own.vaultId === vaultId) return;
  if (home === undefined) {
    throw new OperatorError(
      'STRONGROOM_DATABASE_URL does not point to the home database of a vault with the schema of this version. Correct it, or run `strongroom migrate`.',
    );
  }
  throw new OperatorError(
    `The database of node ${name} is not a node of this vault by that name. Add it with \`strongroom nodes add ${name}\`, or correct STRONGROOM_NODES.`,
  );
}

function unknownNode(name: string | undefined): OperatorError {
  return new OperatorError(`There is no database ${name ?? ''} in STRONGROOM_NODES. The first one is called home.`);
}

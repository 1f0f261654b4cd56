import type { Moment } from '../waiting/route.ts';
import { drawerCount, type DrawerSet } from './drawers.ts';
import type { NodeState } from './node-store.ts';
import type { VaultNode } from './vault-node.ts';

/** What all databases of a vault have said about what they hold, at one time. */
export class KnownDrawers {
  readonly states: ReadonlyMap<VaultNode, NodeState>;
  /** All of them have said it after that. */
  readonly since: Moment;
  readonly #holders: readonly (VaultNode | undefined)[];
  /** Whether each drawer is held by one database, and no other claims it. */
  readonly isWhole: boolean;

  /** Where there is one database, it holds all. */
  static allAt(node: VaultNode): KnownDrawers {
    const holders = Array.from({ length: drawerCount }, () => node);
    return new KnownDrawers({ states: new Map(), since: 0 }, holders);
  }

  /** `claims`: what each of them claims; without it, what it holds. */
  static of(
    states: ReadonlyMap<VaultNode, NodeState>,
    { since = 0, claims = new Map() }: { since?: Moment; claims?: ReadonlyMap<VaultNode, DrawerSet> } = {},
  ): KnownDrawers {
    const all = [...states].map(([node, { held }]) => ({ node, held, claimed: claims.get(node) ?? held }));
    const holders = Array.from({ length: drawerCount }, (_, drawer) => {
      const only = onlyOf(all.filter(({ claimed }) => claimed.has(drawer)));
      return only?.held.has(drawer) === true ? only.node : undefined;
    });
    return new KnownDrawers({ states, since }, holders);
  }

  private constructor(
    { states, since }: Pick<KnownDrawers, 'states' | 'since'>,
    holders: readonly (VaultNode | undefined)[],
  ) {
    this.states = states;
    this.since = since;
    this.#holders = holders;
    this.isWhole = holders.every((holder) => holder !== undefined);
  }

  holderOf(drawer: number): VaultNode | undefined {
    return this.#holders[drawer];
  }

  /**
   * Whether a node holds what it is known to hold, and has held it all the while. Drawers that have left and come back were missing in
   * between.
   */
  isStill(node: VaultNode, now: NodeState | undefined): boolean {
    const known = this.states.get(node);
    return known !== undefined && now?.version === known.version && now.held.equals(known.held);
  }
}

/** Where two claim a drawer, one was restored to an earlier state, and nobody knows which: neither is asked. */
function onlyOf<T>([first, ...others]: readonly T[]): T | undefined {
  return others.length === 0 ? first : undefined;
}

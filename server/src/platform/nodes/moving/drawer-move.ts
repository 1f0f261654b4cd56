import type { OwnerLink } from '../../database/owner-link.ts';
import type { DrawerSet } from '../drawers.ts';

/**
 * `copying`: the source holds the drawers. `leaving`: nobody does, and the last changes follow. `arrived`: the target holds them, and
 * the source deletes its copies. A move that is given up deletes those of the target instead.
 */
export type MoveState = 'copying' | 'leaving' | 'arrived' | 'giving-up' | 'done' | 'given-up';

/** A move of drawers as the database that they leave knows it. */
export interface DrawerMove {
  readonly id: string;
  readonly to: string;
  readonly drawers: DrawerSet;
  readonly state: MoveState;
  /** The tokens that the source no longer counts, as JSON text. */
  readonly uncounted: string | undefined;
  /** Whether the source may have deleted some of them. */
  readonly isDeleting: boolean;
  /** Whether the target held the drawers before, and the source was restored to an earlier state. */
  readonly isRelease: boolean;
}

/** Whether the source no longer holds the drawers, as far as it knows. */
export function hasLeft({ state }: DrawerMove): boolean {
  return state === 'leaving' || state === 'arrived';
}

/** Whether the source still has all tokens of drawers that have left, so that it can take them back. */
export function canComeBack(move: DrawerMove): boolean {
  return hasLeft(move) && !move.isDeleting;
}

/** A database of the vault, reached as its owner, by the name that it has in the vault. */
export interface LinkedNode {
  readonly name: string;
  readonly link: OwnerLink;
}

/** The databases that a move is between, among all of the vault. Home knows the tenants; it may be one of the others. */
export interface MovePlaces {
  readonly all: readonly LinkedNode[];
  readonly home: LinkedNode;
  readonly source: LinkedNode;
  readonly target: LinkedNode;
}

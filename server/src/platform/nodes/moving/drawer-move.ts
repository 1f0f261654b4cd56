import type { TenantId } from '../../../core/identity/ids.ts';
import type { OwnerLink } from '../../database/owner-link.ts';
import type { DrawerSet } from '../drawers.ts';

/**
 * `copying`: the source holds the drawers. `leaving`: nobody does, and the last changes follow. `left`: as before, and the source no
 * longer counts the tokens. `arrived`: the target holds them, and the source deletes its copies. A move that is given up deletes those
 * of the target instead.
 */
export type MoveState = 'copying' | 'leaving' | 'left' | 'arrived' | 'giving-up' | 'done' | 'given-up';

/** A move of drawers as the database that they leave knows it. */
export interface DrawerMove {
  readonly id: string;
  readonly to: string;
  readonly drawers: DrawerSet;
  readonly state: MoveState;
  /** How far tokens are copied. */
  readonly copied: CopyPlace | undefined;
}

/** Tenants in the order of their ids, and in each of them tokens in the order of theirs. */
export interface CopyPlace {
  readonly tenantId: TenantId;
  readonly tokenId: string;
}

/** A database of the vault, reached as its owner, by the name that it has in the vault. */
export interface LinkedNode {
  readonly name: string;
  readonly link: OwnerLink;
}

/** The databases that a move is between. Home knows the tenants; it may be one of the others. */
export interface MovePlaces {
  readonly home: LinkedNode;
  readonly source: LinkedNode;
  readonly target: LinkedNode;
}

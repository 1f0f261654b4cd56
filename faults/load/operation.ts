import type { Random } from '../random.ts';
import type { Client } from './client.ts';
import type { Tenant } from './tenant.ts';

/** The context that all kinds of operations share. */
export interface LoadContext {
  readonly client: Client;
  readonly tenant: Tenant;
  readonly random: Random;
  /** The prefix of every stored value, so that values can be recognised anywhere. */
  readonly marker: string;
  /** Returns a number that has not been used before. */
  readonly nextNumber: () => number;
  /** True if the load is ending. An operation with several steps then stops between them. */
  readonly isOver: () => boolean;
}

/** A kind of client operation. Each call of `act` sends one or a few requests. */
export interface Operation {
  readonly name: string;
  /** The relative frequency of the operation. */
  readonly weight: number;
  readonly act: () => Promise<void>;
}

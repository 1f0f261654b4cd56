import type { Random } from '../random.ts';
import type { Client } from './client.ts';
import type { Tenant } from './tenant.ts';

/** What every kind of operation works with. */
export interface LoadContext {
  readonly client: Client;
  readonly tenant: Tenant;
  readonly random: Random;
  /** Begins every value that is stored, so that any of them is recognised wherever it turns up. */
  readonly marker: string;
  /** A number that was not used before. */
  readonly nextNumber: () => number;
  /** Whether the load is to end: what takes several steps then stops between them. */
  readonly isOver: () => boolean;
}

/** One kind of thing that clients do; each call is one piece of it, of one or a few requests. */
export interface Operation {
  readonly name: string;
  /** How often it is chosen, compared with the others. */
  readonly weight: number;
  readonly act: () => Promise<void>;
}

import type { ApplicationKeyId, TenantId } from '../../../core/identity/ids.ts';
import type { Database } from '../../../platform/database/database.ts';
import { type ChangeFeed, WatchedCache } from '../../../platform/database/changes/change-feed.ts';
import { listMovedTenants, type MovedTenant } from './moved-key-store.ts';

/** What is known of keys whose tenants have moved between cells. */
export interface KnownMoves {
  /** The keys that name another cell although their tenant is here. */
  readonly adopted: ReadonlySet<ApplicationKeyId>;
  /** The tenants that have such keys. */
  readonly adoptedTenants: ReadonlySet<TenantId>;
  /** The cells of keys that have moved away. */
  readonly departed: ReadonlyMap<ApplicationKeyId, string>;
}

const everything = 'everything';

/** Keeps the keys of moved tenants in memory, so that a key of another cell is still refused without a look-up. */
export class MovedKeys {
  readonly #moves: WatchedCache<typeof everything, KnownMoves>;

  /** `onChange` is called when a tenant has moved. */
  constructor({ database, feed }: { readonly database: Database; readonly feed: ChangeFeed }, onChange: () => void) {
    const load = async () => toKnownMoves(await database.forSystem(listMovedTenants));
    this.#moves = new WatchedCache({ feed, entriesMax: 1, load });
    feed.onChange((table) => {
      if (table !== 'tenant_moves') return;
      this.#moves.forget(() => true);
      onChange();
    });
  }

  async get(): Promise<KnownMoves> {
    return (await this.#moves.get(everything)) ?? toKnownMoves([]);
  }
}

function toKnownMoves(tenants: readonly MovedTenant[]): KnownMoves {
  const here = tenants.filter(({ isHere }) => isHere);
  const away = tenants.filter(({ isHere }) => !isHere);
  return {
    adopted: new Set(here.flatMap(({ keyIds }) => keyIds)),
    adoptedTenants: new Set(here.map(({ tenantId }) => tenantId)),
    departed: new Map(away.flatMap(({ cell, keyIds }) => keyIds.map((id) => [id, cell] as const))),
  };
}

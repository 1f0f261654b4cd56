import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../database/database.ts';
import { drawerOf } from '../drawers.ts';
import { readAcquaintance, writeAcquaintance } from '../node-store.ts';
import type { DrawerMove, MovePlaces } from './drawer-move.ts';
import { listTenants } from './drawer-move-store.ts';
import { deleteChanges, listChangedTenants, listChanges } from './journal-store.ts';
import { asMover, readDigest, readTokens, replaceTokens, type TokenRows } from './token-copy-store.ts';
import { eachPageOfIds } from './token-pages.ts';

const tokensPerWrite = 200;
const bytesPerWrite = 4 * 1024 * 1024;
const changesPerRead = 1_000;

/** Told after each page, with how many tokens it had. */
type OnPage = (tokens: number) => Promise<void>;

/** Copies tokens of some drawers to where they are not held yet, and then whatever has changed. */
export class TokenCopier {
  readonly #places: MovePlaces;
  readonly #move: DrawerMove;
  readonly #acquainted = new Set<TenantId>();
  /** Whose changes were followed at last. */
  #followed: readonly TenantId[] = [];

  constructor(places: MovePlaces, move: DrawerMove) {
    this.#places = places;
    this.#move = move;
  }

  /**
   * Copies what the target does not have, or not as it is. Tokens of tenants that come later are listed as changes, as all that is
   * written since the move began. Where the target is known to have nothing yet, nothing is compared.
   */
  async copyAll({ isTargetEmpty }: { readonly isTargetEmpty: boolean }, onPage: OnPage): Promise<void> {
    const { link } = this.#places.source;
    for (const tenantId of await listTenants(link, this.#move)) {
      await eachPageOfIds(link, tenantId, async (ids) => {
        const own = ids.filter((id) => this.#move.drawers.has(drawerOf(id)));
        if (isTargetEmpty || !(await this.#isCopied(tenantId, own))) await this.#copy(tenantId, own);
        await onPage(own.length);
      });
    }
  }

  /** Copies changes that were listed when it was called. */
  async followSome(): Promise<void> {
    const { source } = this.#places;
    // They may have got applications and keys meanwhile.
    this.#acquainted.clear();
    for (const tenantId of await asMover(source.link, undefined, listChangedTenants)) {
      const numbers = await this.#follow(tenantId, '0');
      await asMover(source.link, tenantId, (tx) => deleteChanges(tx, tenantId, numbers));
    }
  }

  /** Copies all changes, once none can be added. They are left in the list, so that it takes less time. */
  async followAll(): Promise<void> {
    this.#followed = await asMover(this.#places.source.link, undefined, listChangedTenants);
    for (const tenantId of this.#followed) {
      let numbers: readonly string[] = [];
      do {
        numbers = await this.#follow(tenantId, numbers.at(-1) ?? '0');
      } while (numbers.length === changesPerRead);
    }
  }

  /** Makes tenants whose changes came last known once more: they may have got applications that wrote them. */
  async acquaintFollowed(): Promise<void> {
    this.#acquainted.clear();
    for (const tenantId of this.#followed) await this.#acquaint(tenantId);
  }

  /** Copies what has changed of a tenant's tokens; returns the numbers of the changes. */
  async #follow(tenantId: TenantId, after: string): Promise<readonly string[]> {
    const { numbers, ids, rows } = await asMover(this.#places.source.link, tenantId, async (tx) => {
      const changes = await listChanges(tx, tenantId, { after, limit: changesPerRead });
      return { ...changes, rows: await readSome(tx, tenantId, changes.ids) };
    });
    await this.#write(tenantId, rows);
    await this.#copy(tenantId, ids.slice(rows.ids.length));
    return numbers;
  }

  async #isCopied(tenantId: TenantId, ids: readonly string[]): Promise<boolean> {
    const { source, target } = this.#places;
    const [own, copied] = await Promise.all(
      [source, target].map(({ link }) => asMover(link, tenantId, (tx) => readDigest(tx, tenantId, ids))),
    );
    return own === copied;
  }

  /** As they are now: those that are gone are removed from the target. */
  async #copy(tenantId: TenantId, ids: readonly string[]): Promise<void> {
    for (let rest = ids; rest.length > 0; ) {
      const some = rest;
      const rows = await asMover(this.#places.source.link, tenantId, (tx) => readSome(tx, tenantId, some));
      await this.#write(tenantId, rows);
      rest = rest.slice(rows.ids.length);
    }
  }

  async #write(tenantId: TenantId, rows: TokenRows): Promise<void> {
    if (rows.ids.length === 0) return;
    await this.#acquaint(tenantId);
    await asMover(this.#places.target.link, tenantId, (tx) => replaceTokens(tx, tenantId, rows));
  }

  /** Home knows all tenants. */
  async #acquaint(tenantId: TenantId): Promise<void> {
    const { home, target } = this.#places;
    if (target.name === home.name || this.#acquainted.has(tenantId)) return;
    const known = await readAcquaintance(home.link, tenantId);
    if (known !== undefined) await writeAcquaintance(target.link, tenantId, known);
    this.#acquainted.add(tenantId);
  }
}

/** As many as may be in memory together, in their order; at least one, if there is any. */
function readSome(tx: Transaction, tenantId: TenantId, ids: readonly string[]): Promise<TokenRows> {
  return readTokens(tx, tenantId, { ids: ids.slice(0, tokensPerWrite), bytesMax: bytesPerWrite });
}

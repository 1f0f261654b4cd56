import type { Permission } from '../../core/access/permission.ts';
import { requireAccess } from '../../core/access/require-access.ts';
import { both, toVisibility } from '../../core/access/visible-query.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { SearchQuery } from '../../core/search/search-query.ts';
import type { PageRequest } from '../../http/pagination.ts';
import type { AuditLog } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Keyring } from '../../platform/keyring/keyring.ts';
import type { TenantKeyring } from '../../platform/keyring/tenant-keyring.ts';
import type { StoredToken, VisibleToken } from './token.ts';
import { toCursor, toSlice } from './token-cursor.ts';
import { tokenEvent } from './token-event.ts';
import { findLookup, termOf } from './token-lookup.ts';
import { Parameters, toPredicate } from './token-predicate.ts';
import type { TokenPresenter } from './token-presenter.ts';
import { type Slice, type TokenMatch, TokenQueryStore } from './token-query-store.ts';
import { matchShelf, type TokenShelf } from './token-shelf.ts';

/** What is asked for, and under which permission: tokens of which the caller may not see anything are left out. */
export interface TokenQuestion {
  readonly permission: Extract<Permission, 'token:read' | 'token:search'>;
  readonly query: SearchQuery | undefined;
}

/** Lists and searches are the same work: a query, and a part of its matches, newest first. */
export class TokenFinder {
  readonly #database: Database;
  readonly #keyring: Keyring;
  readonly #presenter: TokenPresenter;
  readonly #audit: AuditLog;

  constructor(parts: { database: Database; keyring: Keyring; presenter: TokenPresenter; audit: AuditLog }) {
    this.#database = parts.database;
    this.#keyring = parts.keyring;
    this.#presenter = parts.presenter;
    this.#audit = parts.audit;
  }

  async listPage(
    caller: Caller,
    question: TokenQuestion,
    { page, size }: PageRequest,
  ): Promise<{ totalItems: number; items: VisibleToken[] }> {
    const { tokens, totalItems } = await this.#find(caller, question, { offset: (page - 1) * size, limit: size }, true);
    return { totalItems, items: await this.#showAll(caller, question, tokens) };
  }

  /** The tokens after a cursor; `next` is undefined on the last page. */
  async listAfter(
    caller: Caller,
    question: TokenQuestion,
    { start, size }: { start: string | undefined; size: number },
  ): Promise<{ next: string | undefined; items: VisibleToken[] }> {
    // One more than asked for tells whether there is another page.
    const { tokens } = await this.#find(caller, question, toSlice(start, size + 1), false);
    const page = tokens.slice(0, size);
    const items = await this.#showAll(caller, question, page);
    return { next: tokens.length > size ? toCursor(page) : undefined, items };
  }

  async #find(
    caller: Caller,
    { permission, query }: TokenQuestion,
    slice: Slice,
    isCounted: boolean,
  ): Promise<{ tokens: StoredToken[]; totalItems: number }> {
    // What the caller may see is part of the question, so a list can never show what a single get would refuse.
    const asked = both(query ?? 'all', toVisibility(caller.grants, permission));
    if (asked === 'nothing') return { tokens: [], totalItems: 0 };
    const keys = await this.#keyring.forTenant(caller.tenantId);
    return this.#database.forTenant(caller.tenantId, async (tx) => {
      const store = new TokenQueryStore(tx, caller.tenantId);
      if (asked === 'all' && slice.offset === 0) {
        // Sent together: where the page begins does not depend on how many tokens there are.
        const [shelves, tokens] = await Promise.all([
          isCounted ? store.listShelves() : [],
          store.listOnShelves('all', slice),
        ]);
        return { tokens, totalItems: sumOf(shelves) };
      }
      const query = asked === 'all' ? undefined : asked;
      const term = query === undefined ? undefined : termOf(query, keys);
      if (query !== undefined && term !== undefined) {
        const match = toMatch(caller, query, keys);
        const [tokens, totalItems] = await Promise.all([
          store.listUnderTerm(match, slice),
          isCounted ? store.countUnderTerm(term) : 0,
        ]);
        return { tokens, totalItems };
      }

      const matching = (await store.listShelves()).filter((shelf) => matchShelf(query, shelf) !== 'none');
      if (query === undefined || matching.every((shelf) => matchShelf(query, shelf) === 'all')) {
        const totalItems = sumOf(matching);
        if (slice.offset >= totalItems) return { tokens: [], totalItems };
        return { tokens: await store.listOnShelves(query === undefined ? 'all' : matching, slice), totalItems };
      }
      const match = toMatch(caller, query, keys);
      const [tokens, totalItems] = await Promise.all([
        store.listMatching(match, slice),
        isCounted ? store.countMatching(match) : 0,
      ]);
      return { tokens, totalItems };
    });
  }

  /** Each token is shown under the rule that grants it, and each showing is recorded before the answer leaves. */
  async #showAll(
    caller: Caller,
    { permission }: TokenQuestion,
    tokens: readonly StoredToken[],
  ): Promise<VisibleToken[]> {
    const [items] = await Promise.all([
      Promise.all(tokens.map((token) => this.#presenter.show(token, requireAccess(caller.grants, permission, token)))),
      this.#audit.appendAll(
        caller,
        tokens.map((token) => tokenEvent(token, 'read')),
      ),
    ]);
    return items;
  }
}

function toMatch(caller: Caller, query: SearchQuery, keys: TenantKeyring): TokenMatch {
  return {
    makeParameters: () => new Parameters(caller.tenantId),
    toPredicate: (parameters) => toPredicate(query, keys, parameters),
    lookup: findLookup(query, keys),
  };
}

function sumOf(shelves: readonly TokenShelf[]): number {
  return shelves.reduce((sum, { tokens }) => sum + tokens, 0);
}

import type { Permission } from '../../core/access/permission.ts';
import { requireAccess } from '../../core/access/require-access.ts';
import { both, toVisibility } from '../../core/access/visible-query.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { SearchQuery } from '../../core/search/search-query.ts';
import type { PageRequest } from '../../http/pagination.ts';
import type { AuditLog } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Keyring } from '../../platform/keyring/keyring.ts';
import type { StoredToken, VisibleToken } from './token.ts';
import { toCursor, toSlice } from './token-cursor.ts';
import { tokenEvent } from './token-event.ts';
import { findLookup, termOf } from './token-lookup.ts';
import { Parameters, toPredicate } from './token-predicate.ts';
import type { TokenPresenter } from './token-presenter.ts';
import { type Slice, TokenQueryStore } from './token-query-store.ts';
import { matchShelf } from './token-shelf.ts';

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
      const effective = asked === 'all' ? undefined : asked;
      const matching = (await store.listShelves()).filter((shelf) => matchShelf(effective, shelf) !== 'none');

      if (effective === undefined || matching.every((shelf) => matchShelf(effective, shelf) === 'all')) {
        const totalItems = matching.reduce((sum, { tokens }) => sum + tokens, 0);
        if (slice.offset >= totalItems) return { tokens: [], totalItems };
        return { tokens: await store.listOnShelves(effective === undefined ? 'all' : matching, slice), totalItems };
      }
      const match = {
        makeParameters: () => new Parameters(caller.tenantId),
        toPredicate: (parameters: Parameters) => toPredicate(effective, keys, parameters),
        lookup: findLookup(effective, keys),
      };
      const term = termOf(effective, keys);
      const counting = !isCounted ? 0 : term === undefined ? store.countMatching(match) : store.countUnderTerm(term);
      const [tokens, totalItems] = await Promise.all([store.listMatching(match, slice), counting]);
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
      Promise.all(tokens.map((token) => this.#audit.append(caller, tokenEvent(token, 'read')))),
    ]);
    return items;
  }
}

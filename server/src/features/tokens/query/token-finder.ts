import type { Permission } from '../../../core/access/permission.ts';
import { requireAccess } from '../../../core/access/require-access.ts';
import { leastFingerprintTransform } from '../../../core/access/fingerprint-visibility.ts';
import { both, toVisibility, withinSight } from '../../../core/access/visible-query.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { Caller } from '../../../core/identity/caller.ts';
import type { SearchQuery } from '../../../core/search/search-query.ts';
import type { PageRequest } from '../../../http/pagination.ts';
import type { AuditLog } from '../../../platform/audit/audit-log.ts';
import type { Database } from '../../../platform/database/database.ts';
import { FairLanes } from '../../../platform/waiting/fair-lanes.ts';
import type { Keyring } from '../../../platform/keyring/keyring.ts';
import type { TenantSettingsDirectory } from '../../tenants/index.ts';
import type { StoredToken, VisibleToken } from '../model/token.ts';
import { toCursor, toSlice } from './token-cursor.ts';
import { tokenEvent } from '../model/token-event.ts';
import { type CountedPage, findPage } from './token-page.ts';
import type { TokenPresenter } from '../read/index.ts';
import { emptyPage, type Slice } from './token-query-store.ts';

/** A list that takes longer is not worth a connection that others wait for. */
const statementTimeoutMs = 4_000;

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
  readonly #settings: TenantSettingsDirectory;
  readonly #audit: AuditLog;
  /**
   * A list takes more of the processor than anything else of its length: few are worked on at a time, and of each tenant so
   * few that two of them with slow searches leave a place to the others. (The last place is kept for the vault itself.)
   */
  readonly #lanes = new FairLanes({ placesMax: 6, tenantMax: 2, waitingMax: 500, waitMaxMs: 5_000 });

  constructor(parts: {
    database: Database;
    keyring: Keyring;
    presenter: TokenPresenter;
    settings: TenantSettingsDirectory;
    audit: AuditLog;
  }) {
    this.#database = parts.database;
    this.#keyring = parts.keyring;
    this.#presenter = parts.presenter;
    this.#settings = parts.settings;
    this.#audit = parts.audit;
  }

  async listPage(
    caller: Caller,
    question: TokenQuestion,
    { page, size }: PageRequest,
  ): Promise<{ totalItems: number; items: VisibleToken[] }> {
    const slice = { offset: (page - 1) * size, limit: size };
    return this.#lanes.run(caller.tenantId, async () => {
      const { tokens, isCut, totalItems } = await this.#find(caller, question, slice, true);
      // A page that ended early would leave tokens out: the next one begins at a position, not where this one ended.
      if (isCut) throw pageTooLarge();
      return { totalItems, items: await this.#showAll(caller, question, tokens) };
    });
  }

  /** The tokens after a cursor; `next` is undefined on the last page. */
  async listAfter(
    caller: Caller,
    question: TokenQuestion,
    { start, size }: { start: string | undefined; size: number },
  ): Promise<{ next: string | undefined; items: VisibleToken[] }> {
    const slice = toSlice(start, size);
    return this.#lanes.run(caller.tenantId, async () => {
      const { tokens, hasMore } = await this.#find(caller, question, slice, false);
      const items = await this.#showAll(caller, question, tokens);
      return { next: hasMore ? toCursor(tokens) : undefined, items };
    });
  }

  async #find(
    caller: Caller,
    { permission, query }: TokenQuestion,
    slice: Slice,
    isCounted: boolean,
  ): Promise<CountedPage> {
    // What the caller may see is part of the question, so a list can never show what a single get would refuse.
    const { fingerprintVisibility } = await this.#settings.get(caller.tenantId);
    const sight = { data: 'mask', fingerprint: leastFingerprintTransform(caller, fingerprintVisibility) } as const;
    const inSight = query === undefined ? 'all' : withinSight(query, caller.grants, permission, sight);
    const asked = both(inSight, toVisibility(caller.grants, permission));
    if (asked === 'nothing') return { ...emptyPage, totalItems: 0 };
    const keys = await this.#keyring.forTenant(caller.tenantId);
    return this.#database.forTenant(
      caller.tenantId,
      (tx) => findPage(tx, { tenantId: caller.tenantId, asked, keys, slice, isCounted }),
      { statementTimeoutMs },
    );
  }

  /** Each token is shown under the rule that grants it, and each showing is recorded before the answer leaves. */
  async #showAll(
    caller: Caller,
    { permission }: TokenQuestion,
    tokens: readonly StoredToken[],
  ): Promise<VisibleToken[]> {
    const [items] = await Promise.all([
      this.#presenter.showAll(
        caller,
        tokens.map((token) => ({ token, transform: requireAccess(caller.grants, permission, token) })),
      ),
      this.#audit.appendAll(
        caller,
        tokens.map((token) => tokenEvent(token, 'read')),
      ),
    ]);
    return items;
  }
}

function pageTooLarge(): DomainError {
  return new DomainError(
    'page-too-large',
    'The tokens on this page hold more than 8 MiB of data in total. Request a smaller size, or use the /v2 route, whose pages end early.',
  );
}

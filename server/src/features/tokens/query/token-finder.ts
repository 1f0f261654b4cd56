import type { Permission } from '../../../core/access/permission.ts';
import { requireAccess } from '../../../core/access/decide-access.ts';
import { leastFingerprintTransform } from '../../../core/sight/fingerprint-visibility.ts';
import { both, toVisibility, withinSight } from '../../../core/sight/visible-query.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { Caller } from '../../../core/identity/caller.ts';
import { listFieldsAsked } from '../../../core/search/fields-asked.ts';
import { countComparisons } from '../../../core/search/first-rule.ts';
import type { SearchQuery } from '../../../core/search/search-query.ts';
import { countValuesAsked } from '../../../core/search/values-asked.ts';
import { inMebibytes } from '../../../core/text/byte-size.ts';
import { tokenQueryLimits } from '../../../core/token-limits.ts';
import type { PageRequest } from '../../../http/parameters/pagination.ts';
import { type AuditEvent, noSingleEntity } from '../../../platform/audit/record/audit-event.ts';
import type { AuditLog } from '../../../platform/audit/record/audit-log.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { Keyring } from '../../../platform/keyring/keys/keyring.ts';
import { loopPace } from '../../../platform/waiting/tenant-pace.ts';
import { weighSearch } from '../../../platform/waiting/work-weight.ts';
import type { TenantSettingsDirectory } from '../../tenants/index.ts';
import type { StoredToken, VisibleToken } from '../model/token.ts';
import { toCursor, toSlice } from './token-cursor.ts';
import { tokenEvent } from '../model/token-event.ts';
import { QuickTokenFinds } from './quick-token-finds.ts';
import { type MadePage, type Shown, TokenListLanes } from './token-list-lanes.ts';
import { type CountedPage, findPage, type PageQuestion } from './token-page.ts';
import type { TokenPresenter } from '../read/index.ts';
import { emptyPage } from './token-query-store.ts';

/** A list that takes longer is cancelled, because other requests are waiting for its connection. */
const statementTimeoutMs = 4_000;

/** A query and the permission it runs under. Tokens that the caller may not see at all are omitted. */
export interface TokenQuestion {
  readonly permission: Extract<Permission, 'token:read' | 'token:search'>;
  readonly query: SearchQuery | undefined;
}

interface TokenFinderParts {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly presenter: TokenPresenter;
  readonly settings: TenantSettingsDirectory;
  readonly audit: AuditLog;
}

/** Runs lists and searches. For both, the result is a slice of the matches of a query, newest first. */
export class TokenFinder {
  readonly #parts: TokenFinderParts;
  readonly #quickFinds: QuickTokenFinds;
  readonly #lanes: TokenListLanes;

  constructor(parts: TokenFinderParts) {
    this.#parts = parts;
    this.#quickFinds = new QuickTokenFinds(parts.database);
    this.#lanes = new TokenListLanes(parts.audit);
  }

  async listPage(
    caller: Caller,
    question: TokenQuestion,
    { page, size }: PageRequest,
  ): Promise<{ totalItems: number; items: VisibleToken[] }> {
    const part = { slice: { offset: (page - 1) * size, limit: size }, isCounted: true };
    return this.#answer(caller, { ...question, ...part }, async (found) => {
      // If a page ended early, tokens would be skipped, because the next page begins at a fixed offset, not where this
      // one ended.
      if (found.isCut) throw pageTooLarge();
      const { tokens, totalItems } = found;
      const { items, events } = await this.#showAll(caller, question, { tokens, matched: totalItems });
      return { page: { totalItems, items }, events };
    });
  }

  /** Returns the tokens after a cursor. `next` is undefined on the last page. */
  async listAfter(
    caller: Caller,
    question: TokenQuestion,
    { start, size }: { start: string | undefined; size: number },
  ): Promise<{ next: string | undefined; items: VisibleToken[] }> {
    const part = { slice: toSlice(start, size), isCounted: false };
    return this.#answer(caller, { ...question, ...part }, async ({ tokens, hasMore }) => {
      // Anyone can make up a cursor, so an empty page after a cursor counts as a miss like any other.
      const isWhole = tokens.length === 0 || (start === undefined && !hasMore);
      const { items, events } = await this.#showAll(caller, question, {
        tokens,
        matched: isWhole ? tokens.length : undefined,
      });
      return { page: { next: hasMore ? toCursor(tokens) : undefined, items }, events };
    });
  }

  /**
   * Finds a page immediately if it is quick to find, and otherwise waits for a free slot. Resolves once the page is
   * recorded.
   */
  async #answer<Page extends Shown>(
    caller: Caller,
    question: TokenQuestion & Pick<PageQuestion, 'slice' | 'isCounted'>,
    show: (found: CountedPage) => Promise<MadePage<Page>>,
  ): Promise<Page> {
    const { tenantId } = caller;
    const asked = await this.#narrow(caller, question);
    if (asked === 'nothing') return this.#lanes.show(caller, () => show({ ...emptyPage, totalItems: 0 }));
    const keys = await this.#parts.keyring.forTenant(tenantId);
    const { slice, isCounted } = question;
    const sought: PageQuestion = { tenantId, asked, keys, slice, isCounted };
    const quick = await this.#quickFinds.find(sought, (found) => this.#lanes.show(caller, () => show(found)));
    if (quick !== undefined) return quick;
    return this.#lanes.run(caller, async () =>
      show(await this.#parts.database.forTenant(tenantId, (tx) => findCharged(tx, sought), { statementTimeoutMs })),
    );
  }

  /** Adds the caller's visibility to the query, so that a list never shows a token that a single get would reject. */
  async #narrow(caller: Caller, { permission, query }: TokenQuestion): Promise<SearchQuery | 'all' | 'nothing'> {
    const { fingerprintVisibility } = await this.#parts.settings.get(caller.tenantId);
    // Searching for a value tests a guess, as a fingerprint does, so it requires the same transform as fingerprints in
    // this tenant.
    const fingerprint = leastFingerprintTransform(caller, fingerprintVisibility);
    const sight = { data: fingerprintVisibility, fingerprint };
    const inSight = query === undefined ? 'all' : withinSight(query, caller.grants, permission, sight);
    return both(inSight, toVisibility(caller.grants, permission));
  }

  /** Shows each token under the rule that grants it. The query and each token shown are recorded. */
  async #showAll(
    caller: Caller,
    { permission, query }: TokenQuestion,
    { tokens, matched }: { readonly tokens: readonly StoredToken[]; readonly matched: number | undefined },
  ): Promise<{ items: VisibleToken[]; events: AuditEvent[] }> {
    const judged = tokens.map((token) => ({ token, transform: requireAccess(caller.grants, permission, token) }));
    const events = [
      searchEvent(query, { found: tokens.length, matched }),
      ...judged.map(({ token, transform }) => tokenEvent(token, 'read', { transform })),
    ];
    return { items: await this.#parts.presenter.showAll(caller, judged), events };
  }
}

/**
 * Finds a page, and charges the tenant for the time that its caller's rules took in PostgreSQL, even if the query is
 * cancelled.
 */
async function findCharged(tx: Transaction, question: PageQuestion): Promise<CountedPage> {
  const { tenantId, asked } = question;
  const startedAt = performance.now();
  try {
    return await findPage(tx, question);
  } finally {
    const conditions = asked === 'all' ? 0 : countComparisons(asked);
    loopPace.charge(tenantId, weighSearch({ conditions, milliseconds: performance.now() - startedAt }));
  }
}

/**
 * Returns the audit event for a query: the names of its fields and the number of tokens in the response. `matched` is
 * the number of matches on all pages, if known. If one of a hundred requested ids exists, ninety-nine are missing.
 */
function searchEvent(
  query: SearchQuery | undefined,
  { found, matched }: { readonly found: number; readonly matched: number | undefined },
): AuditEvent {
  const unmatched = query === undefined || matched === undefined ? 0 : countValuesAsked(query) - matched;
  const missing = Math.max(unmatched, matched === 0 ? 1 : 0);
  return {
    entityType: 'token',
    entityId: noSingleEntity,
    operation: 'search',
    outcome: matched === 0 ? 'missed' : 'success',
    details: {
      ...(query === undefined ? {} : { fields: listFieldsAsked(query) }),
      found,
      ...(missing > 0 ? { missing } : {}),
    },
  };
}

function pageTooLarge(): DomainError {
  return new DomainError(
    'page-too-large',
    `The tokens of this page hold too much data together (more than ${inMebibytes(tokenQueryLimits.pageBytesMax)}). Ask for a smaller size, or use the /v2 route, whose pages end early.`,
    { found: {} },
  );
}

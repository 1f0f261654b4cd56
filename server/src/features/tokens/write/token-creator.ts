import type { Transform } from '../../../core/access/access-rule.ts';
import type { AccessTarget } from '../../../core/access/decide-access.ts';
import { RequestBudget } from '../../../core/budget/request-budget.ts';
import { requireAccessToEach } from '../../../core/access/require-access.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import { type AuditRow, toAuditRow } from '../../../platform/audit/record/audit-event.ts';
import type { AuditLog } from '../../../platform/audit/record/audit-log.ts';
import { mapInTurns } from '../../../platform/waiting/turns.ts';
import type { DeduplicationBehavior, TenantSettingsDirectory } from '../../tenants/index.ts';
import { requestsDeduplication } from './deduplication-request.ts';
import { isHeldByPublic } from '../model/container-set-sql.ts';
import { showFound, type TokenPresenter } from '../read/index.ts';
import { type CreatedToken, toMadeToken } from './made-token.ts';
import { joinPath } from '../model/request-path.ts';
import type { StoredToken, VisibleToken } from '../model/token.ts';
import type { TokenDeduplicator } from './token-deduplicator.ts';
import { findWantedKey } from './token-duplicate-store.ts';
import { type TokenDraft, toTokenDraft } from '../model/token-draft.ts';
import { tokenEvent } from '../model/token-event.ts';
import { authorsOf } from './view-authors.ts';
import { aliasTriesMax, isAlias, isIdExpression, toTokenId } from '../model/token-id.ts';
import type { TokenInsert } from './token-insert-sql.ts';
import { TakenIds, type TokenInsertStore } from './token-insert-store.ts';
import type { TokenRequest } from '../model/token-request.ts';
import type { SealedToken, TokenSealer } from '../model/token-sealer.ts';

export interface CreateOutcome {
  /** False if an existing token with the same content was found. */
  readonly isCreated: boolean;
  readonly token: VisibleToken;
  /** The facts that a retry needs. */
  readonly made: CreatedToken;
}

interface Prepared {
  readonly draft: TokenDraft;
  readonly transform: Transform;
  /** True if the response contains only the id of the token. */
  readonly isIdOnly: boolean;
  readonly isDeduplicated: boolean;
  /** The number of aliases drawn for its id. */
  readonly aliasTries: number;
}

type PreparedInsert = Prepared & TokenInsert;

interface TokenCreatorParts {
  readonly store: TokenInsertStore;
  readonly deduplicator: TokenDeduplicator;
  readonly sealer: TokenSealer;
  readonly presenter: TokenPresenter;
  readonly settings: TenantSettingsDirectory;
  readonly audit: AuditLog;
}

/**
 * Creates tokens. It validates, authorizes, seals and stores them in this order, so that a failure leaves nothing
 * behind.
 */
export class TokenCreator {
  readonly #parts: TokenCreatorParts;

  constructor(parts: TokenCreatorParts) {
    this.#parts = parts;
  }

  /** Creates one token. Concurrent creations of the same tenant share a commit. */
  async create(caller: KeyCaller, request: TokenRequest): Promise<CreateOutcome> {
    const inserts = await this.#prepare(caller, [request], () => false);
    if (inserts.some(({ isDeduplicated }) => isDeduplicated)) {
      return (await this.#createOrFind(caller, inserts))[0] ?? missing();
    }
    return this.#underFreeIds(caller, inserts, async ([insert = missing()]) => {
      const { createdAt } = await this.#parts.store.insert(insert);
      if (createdAt === undefined) throw new TakenIds([0]);
      return this.#showCreated(caller, insert, createdAt);
    });
  }

  /**
   * Creates several tokens in one transaction: all or none. `isIdOnly` marks the tokens of which only the id is shown.
   */
  async createAll(
    caller: KeyCaller,
    requests: readonly TokenRequest[],
    isIdOnly: (index: number) => boolean,
  ): Promise<CreateOutcome[]> {
    const inserts = await this.#prepare(caller, requests, isIdOnly);
    if (inserts.some(({ isDeduplicated }) => isDeduplicated)) return this.#createOrFind(caller, inserts);
    if (inserts.length === 0) return [];
    return this.#underFreeIds(caller, inserts, async (free) => {
      const createdAt = await this.#parts.store.insertAll(caller.tenantId, free);
      return mapInTurns(free, (insert) => this.#showCreated(caller, insert, createdAt));
    });
  }

  async #prepare(
    caller: KeyCaller,
    requests: readonly TokenRequest[],
    isIdOnly: (index: number) => boolean,
  ): Promise<PreparedInsert[]> {
    const now = new Date();
    const budget = new RequestBudget();
    const drafts = (await mapInTurns(requests, (request) => toTokenDraft(request, now, budget))).map((draft) => ({
      ...draft,
      viewAuthors: authorsOf(caller, draft),
    }));
    const transforms = drafts.map((draft) => requireAccessToEach(caller.grants, 'token:create', toTarget(draft)));
    const settings = await this.#parts.settings.get(caller.tenantId);
    const sealed = await this.#parts.sealer.sealAll(
      caller,
      drafts.map((draft) => ({ draft, id: toTokenId(draft) })),
      { hasFingerprints: settings.fingerprintTokens, budget },
    );
    return sealed.map((token, index) => {
      const draft = drafts[index] ?? missing();
      const transform = transforms[index] ?? missing();
      const isDeduplicated =
        token.fingerprint !== null && requestsDeduplication(caller, { draft, transform, settings });
      const prepared = { draft, transform, isIdOnly: isIdOnly(index), isDeduplicated, aliasTries: 1 };
      return toPrepared(caller, prepared, token);
    });
  }

  /**
   * Writes tokens under the requested ids. If an alias is taken, another is drawn, and nothing remains of the first
   * attempt.
   */
  async #underFreeIds<T>(
    caller: KeyCaller,
    inserts: readonly PreparedInsert[],
    write: (inserts: readonly PreparedInsert[]) => Promise<T>,
  ): Promise<T> {
    try {
      return await write(inserts);
    } catch (error) {
      if (!(error instanceof TakenIds)) throw error;
      requireOnlyAliasesTaken(inserts, error);
      const renamed = await Promise.all(
        inserts.map(async (insert, index) => (error.indexes.has(index) ? this.#rename(caller, insert) : insert)),
      );
      return this.#underFreeIds(caller, renamed, write);
    }
  }

  /** Tries another alias a few times, then uses an id that cannot be taken. */
  async #rename(caller: KeyCaller, insert: PreparedInsert): Promise<PreparedInsert> {
    const { draft, aliasTries } = insert;
    const renamed = aliasTries < aliasTriesMax ? draft : { ...draft, wantedId: undefined };
    const [token = missing()] = await this.#parts.sealer.sealAll(caller, [{ draft: renamed, id: toTokenId(renamed) }], {
      hasFingerprints: insert.token.fingerprint !== null,
    });
    return toPrepared(caller, { ...insert, draft: renamed, aliasTries: aliasTries + 1 }, token);
  }

  async #createOrFind(caller: KeyCaller, inserts: readonly PreparedInsert[]): Promise<CreateOutcome[]> {
    const { deduplicationBehavior } = await this.#parts.settings.get(caller.tenantId);
    return this.#underFreeIds(caller, inserts, async (named) => {
      const free = withSharedViews(caller, named, deduplicationBehavior);
      const { createdAt, existing } = await this.#parts.deduplicator.insertOrFind(caller, free, deduplicationBehavior);
      const isRecorded = deduplicationBehavior === 'update_existing';
      const first = new Map<string, PreparedInsert>();
      return mapInTurns(free, async (insert) => {
        const key = findWantedKey(insert, deduplicationBehavior)?.text;
        const found = existing.get(key ?? '');
        if (found !== undefined) return this.#showFound(caller, { found, isRecorded }, insert);
        // The first of two equal tokens in a request represents the second.
        const made = first.get(key ?? '') ?? insert;
        if (key !== undefined) first.set(key, made);
        const outcome = await this.#showCreated(caller, made, createdAt);
        return made === insert ? outcome : toDeduplicated(outcome);
      });
    });
  }

  async #showCreated(
    caller: KeyCaller,
    { token, transform, draft }: PreparedInsert,
    createdAt: Date,
  ): Promise<CreateOutcome> {
    const stored: StoredToken = { ...token, createdAt, modifiedBy: null, modifiedAt: null };
    return {
      isCreated: true,
      token: await this.#parts.presenter.show(caller, stored, transform, draft),
      made: toCreatedToken(stored, { transform, draft, isFound: false }),
    };
  }

  async #showFound(
    caller: KeyCaller,
    { found, isRecorded }: { found: StoredToken; isRecorded: boolean },
    { transform, draft, isIdOnly }: PreparedInsert,
  ): Promise<CreateOutcome> {
    const parts = { presenter: this.#parts.presenter, audit: this.#parts.audit };
    return toDeduplicated({
      token: await showFound(parts, caller, { found, transform, isIdOnly, isRecorded }),
      made: toCreatedToken(found, { transform, draft, isFound: true }),
    });
  }
}

function toCreatedToken(
  token: StoredToken,
  { transform, draft, isFound }: { transform: Transform; draft: TokenDraft; isFound: boolean },
): CreatedToken {
  const { version } = token;
  return { ...toMadeToken(token, transform), target: toTarget(draft), version, isFound, isDeduplicated: false };
}

/**
 * Returns the target of the permission check. An id that the caller does not choose is not known yet, so it satisfies
 * no condition on ids.
 */
function toTarget({ wantedId, containers }: TokenDraft): AccessTarget {
  return wantedId === undefined || isIdExpression(wantedId) ? { containers } : { id: wantedId, containers };
}

function toPrepared(caller: KeyCaller, prepared: Prepared, token: SealedToken): PreparedInsert {
  return {
    ...prepared,
    token,
    isPublic: isHeldByPublic(caller),
    audit: toCreateRow(caller, token, prepared.isIdOnly ? undefined : prepared.transform),
  };
}

function toCreateRow(caller: KeyCaller, token: SealedToken, transform: Transform | undefined): AuditRow {
  return toAuditRow(caller, tokenEvent(token, 'create', { transform }));
}

/**
 * Makes the audit record of an insert say that the token is shown if an equal token in the request is shown. The first
 * of several equal tokens is stored on behalf of all of them.
 */
function withSharedViews(
  caller: KeyCaller,
  inserts: readonly PreparedInsert[],
  behavior: DeduplicationBehavior,
): readonly PreparedInsert[] {
  const keyOf = (insert: PreparedInsert) => findWantedKey(insert, behavior)?.text;
  const shown = new Set(inserts.filter(({ isIdOnly }) => !isIdOnly).map(keyOf));
  return inserts.map((insert) => {
    const key = insert.isIdOnly ? keyOf(insert) : undefined;
    if (key === undefined || !shown.has(key)) return insert;
    return { ...insert, audit: toCreateRow(caller, insert.token, insert.transform) };
  });
}

function toDeduplicated({ token, made }: Pick<CreateOutcome, 'token' | 'made'>): CreateOutcome {
  return { isCreated: false, token: { ...token, isDeduplicated: true }, made: { ...made, isDeduplicated: true } };
}

function requireOnlyAliasesTaken(inserts: readonly PreparedInsert[], { indexes }: TakenIds): void {
  const taken = inserts.find(({ draft }, index) => indexes.has(index) && !isAlias(draft.wantedId));
  if (taken === undefined) return;
  const { path } = taken.draft;
  const { id } = taken.token;
  const where = path === '' ? '' : ` (${joinPath(path, 'id')})`;
  // An id that occurs twice in the request may not belong to any stored token, so it is not named.
  const isTwice = inserts.filter(({ token }) => token.id === id).length > 1;
  throw new DomainError('token-id-taken', `A token with this id exists already${where}.`, {
    found: isTwice ? {} : { id },
  });
}

function missing(): never {
  throw new Error('A batch returned fewer results than it was given items.');
}

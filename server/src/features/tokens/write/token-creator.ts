import type { Transform } from '../../../core/access/access-rule.ts';
import { RequestBudget } from '../../../core/budget/request-budget.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import type { AuditLog } from '../../../platform/audit/record/audit-log.ts';
import { mapInTurns } from '../../../platform/waiting/turns.ts';
import type { TenantSettingsDirectory } from '../../tenants/index.ts';
import { requestsDeduplication } from './deduplication-request.ts';
import { mayCompare, type ReferencedData, requireCreation } from './referenced-data.ts';
import { showFound, type TokenPresenter } from '../read/index.ts';
import { type CreatedToken, toMadeToken } from './made-token.ts';
import { joinPath, type ReferringRequest, type TokenRequest } from '../model/token-request.ts';
import type { StoredToken, VisibleToken } from '../model/token.ts';
import type { TokenDeduplicator } from './token-deduplicator.ts';
import {
  aliasTriesMax,
  isAlias,
  type TokenDraft,
  toTarget,
  toTokenDraft,
  withinLife,
  withOtherId,
} from './token-draft.ts';
import { authorsOf } from './view-authors.ts';
import { findWantedKey, type TokenInsert, toTokenInsert, withSharedViews } from './token-insert.ts';
import { TakenIds, type TokenInsertStore } from './token-insert-store.ts';
import type { TokenSealer } from './token-sealer.ts';

/** What `create` returns for each request. The token is new unless `made.isDeduplicated` is true. */
export interface CreateOutcome {
  readonly token: VisibleToken;
  /** The facts that a retry needs. */
  readonly made: CreatedToken;
}

interface TokenCreatorParts {
  readonly store: TokenInsertStore;
  readonly deduplicator: TokenDeduplicator;
  readonly sealer: TokenSealer;
  readonly presenter: TokenPresenter;
  readonly settings: TenantSettingsDirectory;
  readonly audit: AuditLog;
  readonly references: ReferencedData;
}

/** A request as received. Its data may have yet to be found. */
type Wanted = TokenRequest | ReferringRequest;

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
  async create(caller: KeyCaller, request: Wanted): Promise<CreateOutcome> {
    const inserts = await this.#prepare(caller, [request], () => false);
    if (inserts.some(({ isDeduplicated }) => isDeduplicated)) {
      return (await this.#createOrFind(caller, inserts))[0] ?? missing();
    }
    // An intent must not be lost if the id of its token is taken, so both are written in one transaction.
    if (inserts.some(({ conversion }) => conversion !== undefined)) {
      return (await this.#createTogether(caller, inserts))[0] ?? missing();
    }
    return this.#underFreeIds(caller, inserts, async ([insert = missing()]) => {
      const createdAt = await this.#parts.store.insert(insert);
      if (createdAt === undefined) throw new TakenIds([0]);
      return this.#showCreated(caller, insert, createdAt);
    });
  }

  /**
   * Creates several tokens in one transaction: all or none. `isIdOnly` marks the tokens of which only the id is shown.
   */
  async createAll(
    caller: KeyCaller,
    requests: readonly Wanted[],
    isIdOnly: (index: number) => boolean,
  ): Promise<CreateOutcome[]> {
    const inserts = await this.#prepare(caller, requests, isIdOnly);
    if (inserts.some(({ isDeduplicated }) => isDeduplicated)) return this.#createOrFind(caller, inserts);
    return inserts.length === 0 ? [] : this.#createTogether(caller, inserts);
  }

  #createTogether(caller: KeyCaller, inserts: readonly TokenInsert[]): Promise<CreateOutcome[]> {
    return this.#underFreeIds(caller, inserts, async (free) => {
      const createdAt = await this.#parts.store.insertAll(caller.tenantId, free);
      return mapInTurns(free, (insert) => this.#showCreated(caller, insert, createdAt));
    });
  }

  async #prepare(
    caller: KeyCaller,
    requests: readonly Wanted[],
    isIdOnly: (index: number) => boolean,
  ): Promise<TokenInsert[]> {
    const now = new Date();
    const budget = new RequestBudget();
    const whole = await this.#parts.references.findAll(caller, requests);
    const settings = await this.#parts.settings.get(caller.tenantId);
    const drafts = (await mapInTurns(whole, (request) => toTokenDraft(request, now, budget))).map((draft) => ({
      ...withinLife(draft, { limits: settings.lifeLimits, now }),
      viewAuthors: authorsOf(caller, draft),
    }));
    const transforms = drafts.map((draft, index) =>
      requireCreation(caller, whole[index] ?? missing(), toTarget(draft)),
    );
    const sealed = await this.#parts.sealer.sealAll(caller, drafts, {
      hasFingerprints: settings.fingerprintTokens,
      budget,
    });
    return sealed.map((token, index) => {
      const draft = drafts[index] ?? missing();
      const transform = transforms[index] ?? missing();
      const isComparable = mayCompare(caller, whole[index] ?? missing(), toTarget(draft));
      const isDeduplicated =
        token.fingerprint !== null && requestsDeduplication(caller, { draft, transform, settings, isComparable });
      const { from, path } = whole[index] ?? missing();
      return toTokenInsert(caller, token, {
        draft,
        transform,
        isIdOnly: isIdOnly(index),
        isDeduplicated,
        isComparable,
        aliasTries: 1,
        ...(from?.kind === 'intent' ? { conversion: { intentId: from.text, path, caller } } : {}),
      });
    });
  }

  /**
   * Writes tokens under the requested ids. If an alias is taken, another is drawn, and nothing remains of the first
   * attempt.
   */
  async #underFreeIds<T>(
    caller: KeyCaller,
    inserts: readonly TokenInsert[],
    write: (inserts: readonly TokenInsert[]) => Promise<T>,
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
  async #rename(caller: KeyCaller, insert: TokenInsert): Promise<TokenInsert> {
    const { aliasTries } = insert;
    const draft = withOtherId(insert.draft, aliasTries < aliasTriesMax ? insert.draft.wantedId : undefined);
    const hasFingerprints = insert.token.fingerprint !== null;
    const [token = missing()] = await this.#parts.sealer.sealAll(caller, [draft], { hasFingerprints });
    return toTokenInsert(caller, token, { ...insert, draft, aliasTries: aliasTries + 1 });
  }

  async #createOrFind(caller: KeyCaller, inserts: readonly TokenInsert[]): Promise<CreateOutcome[]> {
    const { deduplicationBehavior } = await this.#parts.settings.get(caller.tenantId);
    return this.#underFreeIds(caller, inserts, async (named) => {
      const free = withSharedViews(caller, named, deduplicationBehavior);
      const { createdAt, existing } = await this.#parts.deduplicator.insertOrFind(caller, free, deduplicationBehavior);
      const isRecorded = deduplicationBehavior === 'update_existing';
      const first = new Map<string, TokenInsert>();
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
    { token, transform, draft, isComparable }: TokenInsert,
    createdAt: Date,
  ): Promise<CreateOutcome> {
    const stored: StoredToken = { ...token, createdAt, modifiedBy: null, modifiedAt: null };
    const shown = await this.#parts.presenter.show(caller, stored, transform, draft);
    const made = toCreatedToken(stored, { transform, draft, isFound: false });
    if (isComparable) return { token: shown, made };
    return { token: { ...shown, fingerprint: undefined }, made: { ...made, isComparable } };
  }

  async #showFound(
    caller: KeyCaller,
    { found, isRecorded }: { found: StoredToken; isRecorded: boolean },
    { transform, draft, isIdOnly }: TokenInsert,
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

function toDeduplicated({ token, made }: CreateOutcome): CreateOutcome {
  return { token: { ...token, isDeduplicated: true }, made: { ...made, isDeduplicated: true } };
}

function requireOnlyAliasesTaken(inserts: readonly TokenInsert[], { indexes }: TakenIds): void {
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

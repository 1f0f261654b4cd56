import { leastTransform, type Transform } from '../../core/access/access-rule.ts';
import { type AccessTarget, decideAccess } from '../../core/access/decide-access.ts';
import { requireAccessToEach } from '../../core/access/require-access.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import { toAuditRow } from '../../platform/audit/audit-event.ts';
import type { AuditLog } from '../../platform/audit/audit-log.ts';
import type { TenantSettingsDirectory } from '../tenants/index.ts';
import { joinPath } from './request-path.ts';
import type { StoredToken, VisibleToken } from './token.ts';
import { type TokenDraft, toTokenDraft } from './token-draft.ts';
import { tokenEvent } from './token-event.ts';
import { aliasTriesMax, isAlias, isIdExpression, toTokenId } from './token-id.ts';
import { TakenIds, type TokenInsert, type TokenInsertStore } from './token-insert-store.ts';
import type { TokenPresenter } from './token-presenter.ts';
import type { TokenRequest } from './token-request.ts';
import type { SealedToken, TokenSealer } from './token-sealer.ts';

export interface CreateOutcome {
  /** False where a token with the same content was found instead. */
  readonly isCreated: boolean;
  readonly token: VisibleToken;
}

interface Prepared {
  readonly draft: TokenDraft;
  readonly transform: Transform;
  readonly isDeduplicated: boolean;
  /** How many aliases were drawn for its id. */
  readonly aliasTries: number;
}

type PreparedInsert = Prepared & TokenInsert;

/** Makes tokens: checks, decides, seals and stores, in this order, so that nothing is half done. */
export class TokenCreator {
  readonly #store: TokenInsertStore;
  readonly #sealer: TokenSealer;
  readonly #presenter: TokenPresenter;
  readonly #settings: TenantSettingsDirectory;
  readonly #audit: AuditLog;

  constructor(parts: {
    store: TokenInsertStore;
    sealer: TokenSealer;
    presenter: TokenPresenter;
    settings: TenantSettingsDirectory;
    audit: AuditLog;
  }) {
    this.#store = parts.store;
    this.#sealer = parts.sealer;
    this.#presenter = parts.presenter;
    this.#settings = parts.settings;
    this.#audit = parts.audit;
  }

  /** One token, committed with whatever else the tenant creates at this moment. */
  async create(caller: Caller, request: TokenRequest): Promise<CreateOutcome> {
    const inserts = await this.#prepare(caller, [request]);
    if (inserts.some(({ isDeduplicated }) => isDeduplicated)) {
      return (await this.#createOrFind(caller, inserts))[0] ?? missing();
    }
    return this.#underFreeIds(caller, inserts, async ([insert = missing()]) => {
      const { createdAt } = await this.#store.insert(insert);
      if (createdAt === undefined) throw new TakenIds([0]);
      return this.#showCreated(insert, createdAt);
    });
  }

  /** Several tokens in one transaction: all of them or none. */
  async createAll(caller: Caller, requests: readonly TokenRequest[]): Promise<CreateOutcome[]> {
    const inserts = await this.#prepare(caller, requests);
    if (inserts.some(({ isDeduplicated }) => isDeduplicated)) return this.#createOrFind(caller, inserts);
    if (inserts.length === 0) return [];
    return this.#underFreeIds(caller, inserts, async (free) => {
      const createdAt = await this.#store.insertAll(caller.tenantId, free);
      return Promise.all(free.map((insert) => this.#showCreated(insert, createdAt)));
    });
  }

  async #prepare(caller: Caller, requests: readonly TokenRequest[]): Promise<PreparedInsert[]> {
    const now = new Date();
    const drafts = requests.map((request) => toTokenDraft(request, now));
    const transforms = drafts.map((draft) => requireAccessToEach(caller.grants, 'token:create', toTarget(draft)));
    const { fingerprintTokens, deduplicateTokens } = await this.#settings.get(caller.tenantId);
    const sealed = await this.#sealer.sealAll(
      caller,
      drafts.map((draft) => ({ draft, id: toTokenId(draft) })),
      { hasFingerprints: fingerprintTokens },
    );
    return sealed.map((token, index) => {
      const draft = drafts[index] ?? missing();
      const isDeduplicated = (draft.deduplicate ?? deduplicateTokens) && token.fingerprint !== null;
      const transform = transforms[index] ?? missing();
      return toPrepared(caller, { draft, transform, isDeduplicated, aliasTries: 1 }, token);
    });
  }

  /** Writes under the ids that were wished for. An alias that is taken is drawn again: of the first try nothing remains. */
  async #underFreeIds<T>(
    caller: Caller,
    inserts: readonly PreparedInsert[],
    write: (inserts: readonly PreparedInsert[]) => Promise<T>,
  ): Promise<T> {
    try {
      return await write(inserts);
    } catch (error) {
      if (!(error instanceof TakenIds)) throw error;
      const renamed = await Promise.all(
        inserts.map(async (insert, index) => (error.indexes.has(index) ? this.#rename(caller, insert) : insert)),
      );
      return this.#underFreeIds(caller, renamed, write);
    }
  }

  /** Another alias, a few times; then an id that cannot meet any. */
  async #rename(caller: Caller, insert: PreparedInsert): Promise<PreparedInsert> {
    const { draft, aliasTries } = insert;
    if (!isAlias(draft.wantedId)) throw idTaken(draft.path);
    const renamed = aliasTries < aliasTriesMax ? draft : { ...draft, wantedId: undefined };
    const [token = missing()] = await this.#sealer.sealAll(caller, [{ draft: renamed, id: toTokenId(renamed) }], {
      hasFingerprints: insert.token.fingerprint !== null,
    });
    return toPrepared(caller, { ...insert, draft: renamed, aliasTries: aliasTries + 1 }, token);
  }

  #createOrFind(caller: Caller, inserts: readonly PreparedInsert[]): Promise<CreateOutcome[]> {
    return this.#underFreeIds(caller, inserts, async (free) => {
      const { createdAt, existing } = await this.#store.insertOrFind(caller.tenantId, free);
      return Promise.all(
        free.map(async (insert) => {
          const found = insert.isDeduplicated ? existing.get(insert.token.fingerprint ?? '') : undefined;
          if (found !== undefined) return this.#showFound(caller, found, insert.transform);
          // The second of two equal ones in a request is answered with the first.
          const first = free.find((other) => isSameContent(insert, other)) ?? insert;
          return { ...(await this.#showCreated(first, createdAt)), isCreated: first === insert };
        }),
      );
    });
  }

  async #showCreated(insert: PreparedInsert, createdAt: Date): Promise<CreateOutcome> {
    const stored: StoredToken = { ...insert.token, createdAt, modifiedBy: null, modifiedAt: null };
    return { isCreated: true, token: await this.#presenter.show(stored, insert.transform, insert.draft) };
  }

  /** Who may not read what was found learns only that it exists. */
  async #showFound(caller: Caller, found: StoredToken, transform: Transform): Promise<CreateOutcome> {
    const access = decideAccess(caller.grants, 'token:read', found);
    const shown = access.isAllowed ? leastTransform(transform, access.transform) : 'redact';
    const [token] = await Promise.all([
      this.#presenter.show(found, shown),
      this.#audit.append(caller, tokenEvent(found, 'read')),
    ]);
    return { isCreated: false, token: access.isAllowed ? token : { ...token, isReduced: true } };
  }
}

/** An id that is not chosen by the caller says nothing yet, so no condition on ids can be met by it. */
function toTarget({ wantedId, containers }: TokenDraft): AccessTarget {
  return wantedId === undefined || isIdExpression(wantedId) ? { containers } : { id: wantedId, containers };
}

function toPrepared(caller: Caller, prepared: Prepared, token: SealedToken): PreparedInsert {
  return { ...prepared, token, audit: toAuditRow(caller, tokenEvent(token, 'create')) };
}

function isSameContent(insert: PreparedInsert, other: PreparedInsert): boolean {
  return insert.isDeduplicated && other.isDeduplicated && other.token.fingerprint === insert.token.fingerprint;
}

function idTaken(path: string): DomainError {
  const place = path === '' ? '' : ` (${joinPath(path, 'id')})`;
  return new DomainError('token-id-taken', `A token with this id exists already${place}.`);
}

function missing(): never {
  throw new Error('A batch came back shorter than it went out.');
}

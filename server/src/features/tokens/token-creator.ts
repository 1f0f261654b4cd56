import { leastTransform, type Transform } from '../../core/access/access-rule.ts';
import { decideAccess } from '../../core/access/decide-access.ts';
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
import { aliasTriesMax, isIdExpression, toTokenId } from './token-id.ts';
import type { TokenInsert, TokenInsertStore } from './token-insert-store.ts';
import { OpenedToken, type TokenPresenter } from './token-presenter.ts';
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
    const [insert] = await this.#prepare(caller, [request]);
    if (insert === undefined) throw new Error('A request was prepared to nothing.');
    if (insert.isDeduplicated) return (await this.#createOrFind(caller, [insert]))[0] ?? missing();

    const { createdAt } = await this.#store.insert(insert);
    if (createdAt !== undefined) return this.#showCreated(insert, createdAt);
    if (!isIdExpression(insert.draft.wantedId)) throw idTaken(insert.draft.path);
    return this.#createUnderOtherId(caller, insert);
  }

  /** Several tokens in one transaction: all of them or none. */
  async createAll(caller: Caller, requests: readonly TokenRequest[]): Promise<CreateOutcome[]> {
    const inserts = await this.#prepare(caller, requests);
    if (inserts.some(({ isDeduplicated }) => isDeduplicated)) return this.#createOrFind(caller, inserts);
    if (inserts.length === 0) return [];
    const createdAt = await this.#store.insertAll(caller.tenantId, inserts, (index) =>
      idTaken(inserts[index]?.draft.path ?? ''),
    );
    return Promise.all(inserts.map((insert) => this.#showCreated(insert, createdAt)));
  }

  async #prepare(caller: Caller, requests: readonly TokenRequest[]): Promise<PreparedInsert[]> {
    const now = new Date();
    const drafts = requests.map((request) => toTokenDraft(request, now));
    const transforms = drafts.map(({ containers }) => requireAccessToEach(caller.grants, 'token:create', containers));
    const { fingerprintTokens, deduplicateTokens } = await this.#settings.get(caller.tenantId);
    const sealed = await this.#sealer.sealAll(
      caller,
      drafts.map((draft) => ({ draft, id: toTokenId(draft) })),
      { hasFingerprints: fingerprintTokens },
    );
    return sealed.map((token, index) => {
      const draft = drafts[index] ?? missing();
      const isDeduplicated = (draft.deduplicate ?? deduplicateTokens) && token.fingerprint !== null;
      return toPrepared(caller, { draft, transform: transforms[index] ?? missing(), isDeduplicated }, token);
    });
  }

  /** An alias met one that exists. Another is tried a few times; then the token gets an id that cannot meet any. */
  async #createUnderOtherId(caller: Caller, prepared: Prepared): Promise<CreateOutcome> {
    for (let attempt = 1; attempt <= aliasTriesMax; attempt += 1) {
      const isLast = attempt === aliasTriesMax;
      const id = toTokenId(isLast ? { ...prepared.draft, wantedId: undefined } : prepared.draft);
      const [token = missing()] = await this.#sealer.sealAll(
        caller,
        [{ draft: prepared.draft, id }],
        await this.#fingerprints(caller),
      );
      const insert = toPrepared(caller, prepared, token);
      const { createdAt } = await this.#store.insert(insert);
      if (createdAt !== undefined) return this.#showCreated(insert, createdAt);
    }
    throw idTaken(prepared.draft.path);
  }

  async #createOrFind(caller: Caller, inserts: readonly PreparedInsert[]): Promise<CreateOutcome[]> {
    const { createdAt, existing } = await this.#store.insertOrFind(caller.tenantId, inserts, (index) =>
      idTaken(inserts[index]?.draft.path ?? ''),
    );
    return Promise.all(
      inserts.map(async (insert) => {
        const found = insert.isDeduplicated ? existing.get(insert.token.fingerprint ?? '') : undefined;
        if (found !== undefined) return this.#showFound(caller, found, insert.transform);
        // The second of two equal ones in a request is answered with the first.
        const first = inserts.find(
          (other) =>
            insert.isDeduplicated && other.isDeduplicated && other.token.fingerprint === insert.token.fingerprint,
        );
        return {
          ...(await this.#showCreated(first ?? insert, createdAt)),
          isCreated: first === undefined || first === insert,
        };
      }),
    );
  }

  async #showCreated(insert: PreparedInsert, createdAt: Date): Promise<CreateOutcome> {
    const stored: StoredToken = { ...insert.token, createdAt, modifiedBy: null, modifiedAt: null };
    const opened = new OpenedToken(insert.draft.dataText.reveal());
    return { isCreated: true, token: await this.#presenter.show(stored, insert.transform, opened) };
  }

  /** Who may not read what was found learns only that it exists. */
  async #showFound(caller: Caller, found: StoredToken, transform: Transform): Promise<CreateOutcome> {
    const access = decideAccess(caller.grants, 'token:read', found.containers);
    const shown = access.isAllowed ? leastTransform(transform, access.transform) : 'redact';
    const [token] = await Promise.all([
      this.#presenter.show(found, shown),
      this.#audit.append(caller, tokenEvent(found, 'read')),
    ]);
    return { isCreated: false, token: access.isAllowed ? token : { ...token, isReduced: true } };
  }

  async #fingerprints(caller: Caller): Promise<{ hasFingerprints: boolean }> {
    return { hasFingerprints: (await this.#settings.get(caller.tenantId)).fingerprintTokens };
  }
}

function toPrepared(caller: Caller, prepared: Prepared, token: SealedToken): PreparedInsert {
  return { ...prepared, token, audit: toAuditRow(caller, tokenEvent(token, 'create')) };
}

function idTaken(path: string): DomainError {
  const place = path === '' ? '' : ` (${joinPath(path, 'id')})`;
  return new DomainError('token-id-taken', `A token with this id exists already${place}.`);
}

function missing(): never {
  throw new Error('A batch came back shorter than it went out.');
}

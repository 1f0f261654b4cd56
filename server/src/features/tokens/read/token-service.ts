import { findCommonTransform } from '../../../core/access/decide-access.ts';
import { requireAccess } from '../../../core/access/require-access.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { Caller } from '../../../core/identity/caller.ts';
import type { TokenId } from '../../../core/identity/ids.ts';
import { toAuditRow } from '../../../platform/audit/record/audit-event.ts';
import type { AuditLog } from '../../../platform/audit/record/audit-log.ts';
import type { StoredToken, VisibleToken } from '../model/token.ts';
import { nothingShown, tokenEvent } from '../model/token-event.ts';
import type { TokenPresenter } from './token-presenter.ts';
import type { TokenReadStore } from './token-read-store.ts';
import type { TokenStore } from '../model/token-store.ts';
import { untilNotOvertaken } from './until-not-overtaken.ts';

/** Reading and deleting single tokens. */
export class TokenService {
  readonly #store: TokenStore;
  readonly #reads: TokenReadStore;
  readonly #presenter: TokenPresenter;
  readonly #audit: AuditLog;

  constructor(parts: { store: TokenStore; reads: TokenReadStore; presenter: TokenPresenter; audit: AuditLog }) {
    this.#store = parts.store;
    this.#reads = parts.reads;
    this.#presenter = parts.presenter;
    this.#audit = parts.audit;
  }

  /** The response leaves only after the record of the read is durable. */
  async get(caller: Caller, id: TokenId): Promise<VisibleToken> {
    const common = findCommonTransform(caller.grants, 'token:read');
    if (common !== undefined) {
      const token = await this.#reads.find(caller, id, common);
      if (token === undefined) throw noSuchToken();
      // Its record says so already.
      if (requireAccess(caller.grants, 'token:read', token) !== common)
        throw new Error('Rights differ between tokens.');
      return this.#presenter.show(caller, token, common);
    }
    const token = await getToken(this.#store, caller, id);
    const transform = requireAccess(caller.grants, 'token:read', token);
    const [visible] = await Promise.all([
      this.#presenter.show(caller, token, transform),
      this.#audit.append(caller, tokenEvent(token, 'read', { transform })),
    ]);
    return visible;
  }

  async delete(caller: Caller, id: TokenId): Promise<void> {
    await untilNotOvertaken(async () => {
      const token = await getToken(this.#store, caller, id);
      requireAccess(caller.grants, 'token:delete', token);
      // Only the version that was judged is deleted: it may have moved to another container meanwhile.
      const isDeleted = await this.#store.delete(token, toAuditRow(caller, tokenEvent(token, 'delete', nothingShown)));
      return isDeleted ? true : undefined;
    });
  }
}

export async function getToken(store: TokenStore, caller: Caller, id: TokenId): Promise<StoredToken> {
  const token = await store.find(caller.tenantId, id);
  if (token === undefined) throw noSuchToken();
  return token;
}

export function noSuchToken(): DomainError {
  return new DomainError('not-found', 'There is no such token.');
}

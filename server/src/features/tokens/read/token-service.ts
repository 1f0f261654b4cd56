import { findCommonTransform, requireAccess } from '../../../core/access/decide-access.ts';
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

interface TokenServiceParts {
  readonly store: TokenStore;
  readonly reads: TokenReadStore;
  readonly presenter: TokenPresenter;
  readonly audit: AuditLog;
}

/** Reads and deletes single tokens. */
export class TokenService {
  readonly #parts: TokenServiceParts;

  constructor(parts: TokenServiceParts) {
    this.#parts = parts;
  }

  /** Returns a token. Resolves only after the record of the read is durable. */
  async get(caller: Caller, id: TokenId): Promise<VisibleToken> {
    const common = findCommonTransform(caller.grants, 'token:read');
    if (common !== undefined) {
      const token = await this.#parts.reads.find(caller, id, common);
      if (token === undefined) throw noSuchToken();
      // The record already says that the token was shown this way.
      if (requireAccess(caller.grants, 'token:read', token) !== common)
        throw new Error('Rights differ between tokens.');
      return this.#parts.presenter.show(caller, token, common);
    }
    const token = await getToken(this.#parts.store, caller, id);
    const transform = requireAccess(caller.grants, 'token:read', token);
    const [visible] = await Promise.all([
      this.#parts.presenter.show(caller, token, transform),
      this.#parts.audit.append(caller, tokenEvent(token, 'read', { transform })),
    ]);
    return visible;
  }

  async delete(caller: Caller, id: TokenId): Promise<void> {
    await untilNotOvertaken(async () => {
      const token = await getToken(this.#parts.store, caller, id);
      requireAccess(caller.grants, 'token:delete', token);
      // The deletion is limited to the version that was authorized, because the token may have been moved to another
      // container in the meantime.
      const isDeleted = await this.#parts.store.delete(
        token,
        toAuditRow(caller, tokenEvent(token, 'delete', nothingShown)),
      );
      if (isDeleted) return true;
      await this.#parts.store.requireNotHeld(token);
      return undefined;
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

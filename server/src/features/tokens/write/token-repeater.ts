import { leastTransform, type Transform } from '../../../core/access/access-rule.ts';
import { requireAccessToEach } from '../../../core/access/require-access.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import type { AuditLog } from '../../../platform/audit/record/audit-log.ts';
import { findShownTransform, showFound, type TokenPresenter } from '../read/index.ts';
import { type CreatedToken, requireSame } from './made-token.ts';
import type { StoredToken, VisibleToken } from '../model/token.ts';
import { tokenEvent } from '../model/token-event.ts';
import type { TokenStore } from '../model/token-store.ts';

/** A token that an earlier request created, still sealed, with the transform that the caller may see it through now. */
export interface RepeatedToken {
  readonly token: StoredToken;
  readonly transform: Transform;
  /** The caller has sent what the token holds: showing it tells the caller nothing new. */
  readonly isUnchanged: boolean;
  readonly isDeduplicated: boolean;
}

/** Shows tokens that an earlier request created to the one who repeats the request. */
export class TokenRepeater {
  readonly #store: TokenStore;
  readonly #presenter: TokenPresenter;
  readonly #audit: AuditLog;

  constructor(parts: { store: TokenStore; presenter: TokenPresenter; audit: AuditLog }) {
    this.#store = parts.store;
    this.#presenter = parts.presenter;
    this.#audit = parts.audit;
  }

  /**
   * All tokens in one query, each judged before any is opened: the right to create them may be gone, and so may they.
   * Recorded before any of them can be shown; `isIdOnly` tells of which only the id will be.
   */
  async repeat(
    caller: KeyCaller,
    made: readonly CreatedToken[],
    isIdOnly: (index: number) => boolean,
  ): Promise<RepeatedToken[]> {
    const { tokens: found, isCut } = await this.#store.findAll(
      caller.tenantId,
      made.map(({ id }) => id),
    );
    // They have grown since: one request cannot make so much data.
    if (isCut)
      throw new DomainError(
        'idempotency-answer-not-kept',
        'The tokens of the first request have become too large to return.',
      );
    const repeated = made.map((one) => {
      const granted = requireAccessToEach(caller.grants, 'token:create', one.target);
      const token = requireSame(one, found.get(one.id));
      const isUnchanged = !one.isFound && token.version === one.version && token.revision === 0;
      const { isDeduplicated } = one;
      return { token, transform: leastTransform(one.transform, granted), isUnchanged, isDeduplicated };
    });
    await this.#audit.appendAll(
      caller,
      repeated.map((one, index) => {
        const transform = isIdOnly(index) ? undefined : shownTransform(caller, one);
        return tokenEvent(one.token, 'read', { transform, details: { via: 'replay' } });
      }),
    );
    return repeated;
  }

  /** What the caller sees of it now. */
  async show(caller: KeyCaller, repeated: RepeatedToken): Promise<VisibleToken> {
    const { token, transform, isUnchanged, isDeduplicated } = repeated;
    const parts = { presenter: this.#presenter, audit: this.#audit };
    const visible = isUnchanged
      ? await this.#presenter.show(caller, token, transform)
      : await showFound(parts, caller, { found: token, transform, isIdOnly: false, isRecorded: true });
    return isDeduplicated ? { ...visible, isDeduplicated } : visible;
  }
}

/** Somebody else may have written what the token holds now, so it takes the right to read it. */
function shownTransform(caller: KeyCaller, { token, transform, isUnchanged }: RepeatedToken): Transform {
  return isUnchanged ? transform : findShownTransform(caller, token, transform);
}

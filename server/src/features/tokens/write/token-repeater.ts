import { leastTransform, type Transform } from '../../../core/access/access-rule.ts';
import { requireAccessToEach } from '../../../core/access/decide-access.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import type { AuditLog } from '../../../platform/audit/record/audit-log.ts';
import { findShownTransform, showFound, type TokenPresenter } from '../read/index.ts';
import { type CreatedToken, requireSame } from './made-token.ts';
import type { StoredToken, VisibleToken } from '../model/token.ts';
import { tokenEvent } from '../model/token-event.ts';
import type { TokenStore } from '../model/token-store.ts';

/** A token from an earlier request, still sealed, with the transform that the caller may see it through now. */
export interface RepeatedToken {
  readonly token: StoredToken;
  readonly transform: Transform;
  /** True if the token still contains the data that the caller sent, so that showing it reveals nothing new. */
  readonly isUnchanged: boolean;
  readonly isDeduplicated: boolean;
  readonly isComparable: boolean;
}

interface TokenRepeaterParts {
  readonly store: TokenStore;
  readonly presenter: TokenPresenter;
  readonly audit: AuditLog;
}

/** Shows tokens from an earlier request to a caller that retries it. */
export class TokenRepeater {
  readonly #parts: TokenRepeaterParts;

  constructor(parts: TokenRepeaterParts) {
    this.#parts = parts;
  }

  /**
   * Finds all tokens in one query and authorizes each before any is opened, because the tokens may have been deleted,
   * or the right to create them revoked. The retry is recorded before any token can be shown. `isIdOnly` marks the
   * tokens of which only the id is shown.
   */
  async repeat(
    caller: KeyCaller,
    made: readonly CreatedToken[],
    isIdOnly: (index: number) => boolean,
  ): Promise<RepeatedToken[]> {
    const { tokens: found, isCut } = await this.#parts.store.findAll(
      caller.tenantId,
      made.map(({ id }) => id),
    );
    // The tokens must have grown since, because one request cannot create that much data.
    if (isCut)
      throw new DomainError(
        'idempotency-answer-not-kept',
        'The tokens of the first request have become too large to return.',
      );
    const repeated = made.map((one) => {
      const granted = requireAccessToEach(caller.grants, 'token:create', one.target);
      const token = requireSame(one, found.get(one.id));
      const isUnchanged = !one.isFound && token.version === one.version && token.revision === 0;
      const { isDeduplicated, isComparable = true } = one;
      return { token, transform: leastTransform(one.transform, granted), isUnchanged, isDeduplicated, isComparable };
    });
    await this.#parts.audit.appendAll(
      caller,
      repeated.map((one, index) => {
        const transform = isIdOnly(index) ? undefined : shownTransform(caller, one);
        return tokenEvent(one.token, 'read', { transform, details: { via: 'replay' } });
      }),
    );
    return repeated;
  }

  /** Shows what the caller may see of the token now. */
  async show(caller: KeyCaller, repeated: RepeatedToken): Promise<VisibleToken> {
    const { token, transform, isUnchanged, isDeduplicated, isComparable } = repeated;
    const parts = { presenter: this.#parts.presenter, audit: this.#parts.audit };
    const shown = isUnchanged
      ? await this.#parts.presenter.show(caller, token, transform)
      : await showFound(parts, caller, { found: token, transform, isIdOnly: false, isRecorded: true });
    const visible = isComparable ? shown : { ...shown, fingerprint: undefined };
    return isDeduplicated ? { ...visible, isDeduplicated } : visible;
  }
}

/**
 * Returns the transform to show. If somebody else may have written the current content, the caller needs the right to
 * read it.
 */
function shownTransform(caller: KeyCaller, { token, transform, isUnchanged }: RepeatedToken): Transform {
  return isUnchanged ? transform : findShownTransform(caller, token, transform);
}

import { leastTransform, type Transform } from '../../../core/access/access-rule.ts';
import { type AccessTarget, decideAccess } from '../../../core/access/decide-access.ts';
import type { Caller } from '../../../core/identity/caller.ts';
import type { AuditLog } from '../../../platform/audit/record/audit-log.ts';
import type { StoredToken, VisibleToken } from '../model/token.ts';
import { tokenEvent } from '../model/token-event.ts';
import type { TokenPresenter } from './token-presenter.ts';

/** Returns how a caller sees a token that it did not ask for. Without read access, it sees none of the data. */
export function findShownTransform(caller: Caller, found: AccessTarget, transform: Transform): Transform {
  const access = decideAccess(caller.grants, 'token:read', found);
  return access.isAllowed ? leastTransform(transform, access.transform) : 'redact';
}

/**
 * Shows a token whose content differs from what the caller has just sent, and records that. A caller without read
 * access only learns that the token exists. It also gets the fingerprint if a created token would have shown it,
 * because that is the fingerprint of the content it sent.
 */
export async function showFound(
  { presenter, audit }: { readonly presenter: TokenPresenter; readonly audit: AuditLog },
  caller: Caller,
  options: {
    readonly found: StoredToken;
    readonly transform: Transform;
    /** True if the caller only gets the id. */
    readonly isIdOnly: boolean;
    /** True if the view is already recorded, with an update of the token or as a replay. */
    readonly isRecorded: boolean;
  },
): Promise<VisibleToken> {
  const { found, transform, isIdOnly, isRecorded } = options;
  const { isAllowed } = decideAccess(caller.grants, 'token:read', found);
  const shown = findShownTransform(caller, found, transform);
  const view = { transform: isIdOnly ? undefined : shown, details: { via: 'duplicate' } } as const;
  const [token, fingerprint] = await Promise.all([
    presenter.show(caller, found, shown),
    presenter.findFingerprint(caller, found, transform),
    isRecorded ? undefined : audit.append(caller, tokenEvent(found, 'read', view)),
  ]);
  return isAllowed ? token : { ...token, fingerprint, isReduced: true };
}

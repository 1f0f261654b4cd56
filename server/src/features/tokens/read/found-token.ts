import { leastTransform, type Transform } from '../../../core/access/access-rule.ts';
import { decideAccess } from '../../../core/access/decide-access.ts';
import type { Caller } from '../../../core/identity/caller.ts';
import type { AuditLog } from '../../../platform/audit/audit-log.ts';
import type { StoredToken, VisibleToken } from '../model/token.ts';
import { tokenEvent } from '../model/token-event.ts';
import type { TokenPresenter } from './token-presenter.ts';

/**
 * Shows a token that holds something else than what the caller has just sent, and records that. A caller without read
 * access only learns that the token exists. The fingerprint it would have been shown if the token had been created, too: it
 * is that of the content it sent.
 */
export async function showFound(
  { presenter, audit }: { readonly presenter: TokenPresenter; readonly audit: AuditLog },
  caller: Caller,
  options: {
    readonly found: StoredToken;
    readonly transform: Transform;
    /** An update of the token was recorded with its commit. */
    readonly isRecorded: boolean;
  },
): Promise<VisibleToken> {
  const { found, transform, isRecorded } = options;
  const access = decideAccess(caller.grants, 'token:read', found);
  const shown = access.isAllowed ? leastTransform(transform, access.transform) : 'redact';
  const [token, fingerprint] = await Promise.all([
    presenter.show(caller, found, shown),
    presenter.findFingerprint(caller, found, transform),
    isRecorded ? undefined : audit.append(caller, tokenEvent(found, 'read')),
  ]);
  return access.isAllowed ? token : { ...token, fingerprint, isReduced: true };
}

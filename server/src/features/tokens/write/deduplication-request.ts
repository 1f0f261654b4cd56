import type { Transform } from '../../../core/access/access-rule.ts';
import { isFingerprintShown } from '../../../core/sight/fingerprint-visibility.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import type { TenantSettings } from '../../tenants/index.ts';

/**
 * Returns whether a token is compared with existing ones. A caller that gets an existing token learns that it guessed
 * the content. Therefore, if a tenant shows fingerprints only in revealed views, no other caller may compare either.
 */
export function requestsDeduplication(
  caller: KeyCaller,
  token: {
    readonly draft: { readonly deduplicate: boolean | undefined };
    readonly transform: Transform;
    readonly settings: TenantSettings;
  },
): boolean {
  const { draft, transform, settings } = token;
  const { fingerprintVisibility, deduplicateTokens } = settings;
  if (caller.allowedOrigins !== undefined) return refuseToPages(draft.deduplicate);
  if (fingerprintVisibility === 'mask' || isFingerprintShown(caller, fingerprintVisibility, transform)) {
    return draft.deduplicate ?? deduplicateTokens;
  }
  if (draft.deduplicate !== true) return false;
  throw new DomainError(
    'forbidden',
    'deduplicate_token requires a rule with the transform reveal, because the tenant has fingerprint_visibility set to reveal.',
  );
}

/**
 * Rejects deduplication from pages. A page that collects cards in the vault's fields knows the first eight and the last
 * four digits. This leaves a thousand guesses, which it could try with the same key. Sessions of the application have
 * its origins as well.
 */
function refuseToPages(isAsked: boolean | undefined): false {
  if (isAsked !== true) return false;
  throw new DomainError(
    'forbidden',
    'deduplicate_token is not available to an application with allowed_origins: it would tell a page whether it has guessed a card.',
  );
}

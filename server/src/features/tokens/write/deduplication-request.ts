import type { Transform } from '../../../core/access/access-rule.ts';
import { isFingerprintShown } from '../../../core/sight/fingerprint-visibility.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import type { TenantSettings } from '../../tenants/index.ts';

/**
 * Whether a token is compared with those that are there. Being given an existing token tells that its content was guessed, so a
 * tenant that shows fingerprints to nobody but revealed views lets nobody else compare either.
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
 * A page that collects cards in fields of the vault knows eight digits and the last four: a thousand guesses are left, which it
 * could try with the same key. Sessions of the application have its origins as well.
 */
function refuseToPages(isAsked: boolean | undefined): false {
  if (isAsked !== true) return false;
  throw new DomainError(
    'forbidden',
    'deduplicate_token is not available to an application with allowed_origins: it would tell a page whether it has guessed a card.',
  );
}

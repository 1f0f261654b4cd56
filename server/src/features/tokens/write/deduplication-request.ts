import type { Transform } from '../../../core/access/access-rule.ts';
import { findCommonTransform, redactsAny } from '../../../core/access/decide-access.ts';
import { type FingerprintVisibility, isFingerprintShown } from '../../../core/sight/fingerprint-visibility.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import type { TenantSettings } from '../../tenants/index.ts';

/**
 * Returns whether a token is compared with existing ones. A caller that gets an existing token learns that it guessed
 * the content, and the existing token can be in any container. Therefore, nothing is compared for a caller to whom some
 * tokens are redacted. If a tenant shows fingerprints only in revealed views, tokens are compared only for callers that
 * may read every token as plaintext.
 */
export function requestsDeduplication(
  caller: KeyCaller,
  token: {
    readonly draft: { readonly deduplicate: boolean | undefined };
    readonly transform: Transform;
    readonly settings: TenantSettings;
    /** False if the caller may not compare this data with any other. */
    readonly isComparable?: boolean;
  },
): boolean {
  const { draft, transform, settings, isComparable = true } = token;
  const { fingerprintVisibility, deduplicateTokens } = settings;
  if (caller.allowedOrigins !== undefined) return refuseToPages(draft.deduplicate);
  const needed = isComparable
    ? findNeeded(caller, transform, fingerprintVisibility)
    : 'a rule for token:read on the container, because this key may not know the data';
  if (needed === undefined) return draft.deduplicate ?? deduplicateTokens;
  if (draft.deduplicate !== true) return false;
  throw new DomainError('forbidden', `deduplicate_token requires ${needed}.`);
}

/** Returns what the caller lacks to compare tokens, or undefined if it lacks nothing. */
function findNeeded(caller: KeyCaller, transform: Transform, visibility: FingerprintVisibility): string | undefined {
  if (transform === 'redact' || redactsAny(caller.grants, 'token:read'))
    return 'rules with the transform mask or reveal, for the request and for everything that token:read covers, because it would tell what a redacted token holds';
  const seesAll = findCommonTransform(caller.grants, 'token:read') === 'reveal';
  if (visibility === 'mask' || (seesAll && isFingerprintShown(caller, visibility, transform))) return undefined;
  return 'rules with the transform reveal for the request and for token:read on the container /, because the tenant has fingerprint_visibility set to reveal';
}

/**
 * Rejects deduplication from pages. A page that collects cards in the vault's fields knows the first eight and the last
 * four digits. This leaves a thousand guesses, which it could try with the same key. The same applies to sessions of
 * the application, which have the same origins.
 */
function refuseToPages(isAsked: boolean | undefined): false {
  if (isAsked !== true) return false;
  throw new DomainError(
    'forbidden',
    'deduplicate_token is not available to an application with allowed_origins: it would tell a page whether it has guessed a card.',
  );
}

import { DomainError } from '../errors/domain-error.ts';
import type { Identity } from '../identity/caller.ts';
import { transforms } from '../access/access-rule.ts';
import { type AccessTarget, decideAccess, deniedDetails, isPlainPermission } from '../access/decide-access.ts';
import type { Permission } from '../access/permission.ts';

type Author = Pick<Identity, 'grants' | 'applicationType' | 'session' | 'allowedDestinations'>;

/**
 * Returns true if the caller may define a view of the stored data of a token: a mask, a search index or a fingerprint
 * expression over data that it did not supply itself. Such a view can show everything, so only a caller who may see
 * everything can define one. A plain `token:update` of a private application is enough too, because clients rely on it.
 * It counts as access to plaintext everywhere that access is explained or recorded.
 */
export function mayAuthorViews({ grants, applicationType, session }: Author, target: AccessTarget): boolean {
  const updating = decideAccess(grants, 'token:update', target);
  if (!updating.isAllowed) return false;
  if (updating.transform === 'reveal') return true;
  const reading = decideAccess(grants, 'token:read', target);
  if (reading.isAllowed && reading.transform === 'reveal') return true;
  return applicationType === 'private' && session === undefined && isPlainPermission(updating.rule);
}

/**
 * Returns true if the caller may see the whole token through any of its rights: reading, finding, changing or using it.
 * A caller that may use a token only at listed destinations does not see it.
 */
export function maySeePlaintext(author: Author, target: AccessTarget): boolean {
  const permissions = author.allowedDestinations === undefined ? [...reading, ...using] : reading;
  return mostSeen(author, permissions, target) === transforms.indexOf('reveal') || mayAuthorViews(author, target);
}

export function requireViewAuthor(author: Author, target: AccessTarget): void {
  if (mayAuthorViews(author, target)) return;
  throw needsReveal(
    target,
    'Setting mask, search_indexes or fingerprint_expression on stored data, or changing part of the data that one of them reads as a whole',
  );
}

/**
 * Rejects moving a token to containers where the caller's rules show more of it, unless the caller may define views.
 * Such a move amounts to defining a view. The same applies to containers where a search shows more: if search redacts a
 * token, its content must not be probed, no matter how else it is shown. The right to use a token is compared
 * separately, because a caller that may send plaintext somewhere does not see it.
 */
export function requireNoGain(author: Author, from: AccessTarget, to: AccessTarget): void {
  const isGain = [reading, searching, using].some(
    (permissions) => mostSeen(author, permissions, to) > mostSeen(author, permissions, from),
  );
  if (!isGain || mayAuthorViews(author, from)) return;
  throw needsReveal(from, 'Moving a token to containers where this key sees more of it');
}

function needsReveal(target: AccessTarget, deed: string): DomainError {
  const missing = `a rule for token:update or token:read with the transform reveal on container ${target.containers.join(', ')}`;
  return new DomainError('forbidden', `${deed} needs ${missing}`, deniedDetails(target.containers, target.id));
}

const reading: readonly Permission[] = ['token:read', 'token:search', 'token:update'];
const searching: readonly Permission[] = ['token:search'];
const using: readonly Permission[] = ['token:use'];

/**
 * Returns the rank of the most that any of the permissions shows of the token. A redacted token counts as not visible.
 */
function mostSeen({ grants }: Author, permissions: readonly Permission[], target: AccessTarget): number {
  return Math.max(
    ...permissions.map((permission) => {
      const decision = decideAccess(grants, permission, target);
      return decision.isAllowed ? transforms.indexOf(decision.transform) : 0;
    }),
  );
}

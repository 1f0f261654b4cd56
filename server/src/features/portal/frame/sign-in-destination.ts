import { parseNonce } from '../../../platform/keyring/sign-in/api-key.ts';

/** The only page of the portal with frames: the card fields of the vault. */
export const newTokenPath = '/portal/new-token';

/** Where `strongroom dev` shows all parts of the portal. It is a path of the client-side router, too. */
export const portalKitPath = '/portal/kit';

/** Paths of the portal's client-side router. They all load the same page. */
export const portalAppPaths = [
  '/portal/',
  '/portal/alerts',
  '/portal/applications',
  '/portal/applications/*',
  '/portal/audit',
  '/portal/audit/*',
  '/portal/encryption-keys',
  '/portal/jobs',
  '/portal/members',
  '/portal/members/*',
  '/portal/new-token',
  '/portal/routes',
  '/portal/routes/*',
  '/portal/sessions',
  '/portal/settings',
  '/portal/simulator',
  '/portal/tokens',
  '/portal/tokens/*',
  '/portal/retention',
  '/portal/webhooks',
  '/portal/webhooks/*',
] as const;

/** The destination of a user after signing in: an invitation to accept, or the page that they requested. */
export interface SignInDestination {
  readonly invitation: string | undefined;
  readonly next: string | undefined;
}

const home = '/portal/';
const nextPaths: ReadonlySet<string> = new Set([
  ...portalAppPaths,
  '/portal/account',
  '/portal/approvals',
  '/portal/exports',
]);
/**
 * The maximum length of `next`. It is stored in a cookie while the user is at a provider, and browsers limit cookies to
 * 4 KB.
 */
const nextLengthMax = 1_000;
/** A path whose last part may be an id, and a query. It allows no character that a browser interprets differently. */
const nextForm = /^(?<folder>\/portal\/(?:[a-z-]+\/)?)(?<last>[\w.~%-]*)(?:\?[\w.~%!$'()*+,;:@/?&=-]*)?$/;

/** Reads the destination from a form or a query, and ignores everything else in it. */
export function toSignInDestination(field: (name: 'invitation' | 'next') => unknown): SignInDestination {
  return { invitation: toInvitation(field('invitation')), next: toNext(field('next')) };
}

export function toDestinationPath({ invitation, next }: SignInDestination): string {
  return invitation === undefined ? (next ?? home) : `/portal/invitations/${invitation}`;
}

/** Returns the path of the sign-in page. It leads back to `wanted` if that is a portal page. */
export function toSignInPath(wanted: unknown): string {
  const next = toNext(wanted);
  return next === undefined || next === home ? '/portal/sign-in' : `/portal/sign-in?next=${encodeURIComponent(next)}`;
}

/** The path of the sign-in page for a user who has just set up a sign-in method. */
export const readyToSignInPath = '/portal/sign-in?ready=true';

/** Returns the address if it is a portal page, otherwise the start page. */
export function toPagePath(wanted: unknown): string {
  return toNext(wanted) ?? home;
}

/** Accepts only text that has the form of an invitation link, because it becomes part of a URL. */
function toInvitation(text: unknown): string | undefined {
  return typeof text === 'string' && parseNonce(text) !== undefined ? text : undefined;
}

/** Accepts only the address of a portal page, because a browser is redirected there. */
function toNext(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > nextLengthMax) return undefined;
  const { folder, last } = nextForm.exec(text)?.groups ?? {};
  if (folder === undefined || last === undefined) return undefined;
  if (!nextPaths.has(folder + last) && !(last !== '' && nextPaths.has(`${folder}*`))) return undefined;
  // A browser resolves dots, even encoded ones, so the resolved path must equal the given text.
  const { origin, pathname, search } = new URL(text, 'http://vault');
  return origin === 'http://vault' && pathname + search === text ? text : undefined;
}

import { parseNonce } from '../../../platform/keyring/sign-in/api-key.ts';

/** Addresses that the portal's own router knows; all of them load the same page. */
export const portalAppPaths = [
  '/portal/',
  '/portal/applications',
  '/portal/applications/*',
  '/portal/audit',
  '/portal/audit/*',
  '/portal/encryption-keys',
  '/portal/members',
  '/portal/sessions',
  '/portal/simulator',
  '/portal/tokens',
  '/portal/tokens/*',
] as const;

/** Where somebody continues after signing in: an invitation to accept, or the page that they wanted to see. */
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
/** It travels in a cookie to a provider and back, and browsers keep no more than 4 KB of one. */
const nextLengthMax = 1_000;
/** A path whose last part may be an id, and a query; no character that a browser reads as something else. */
const nextForm = /^(?<folder>\/portal\/(?:[a-z-]+\/)?)(?<last>[\w.~%-]*)(?:\?[\w.~%!$'()*+,;:@/?&=-]*)?$/;

/** From a form or a query. Everything else in it is left out. */
export function toSignInDestination(field: (name: 'invitation' | 'next') => unknown): SignInDestination {
  return { invitation: toInvitation(field('invitation')), next: toNext(field('next')) };
}

export function toDestinationPath({ invitation, next }: SignInDestination): string {
  return invitation === undefined ? (next ?? home) : `/portal/invitations/${invitation}`;
}

/** The sign-in page, which leads back to the address if it is a page of the portal. */
export function toSignInPath(wanted: unknown): string {
  const next = toNext(wanted);
  return next === undefined || next === home ? '/portal/sign-in' : `/portal/sign-in?next=${encodeURIComponent(next)}`;
}

/** The sign-in page for somebody who has just set up how to sign in. */
export const readyToSignInPath = '/portal/sign-in?ready=true';

/** The address if it is a page of the portal, and otherwise the first page. */
export function toPagePath(wanted: unknown): string {
  return toNext(wanted) ?? home;
}

/** Only text that looks like one of our links: it becomes part of a URL. */
function toInvitation(text: unknown): string | undefined {
  return typeof text === 'string' && parseNonce(text) !== undefined ? text : undefined;
}

/** Only the address of a page of the portal: a browser is sent there, so it must not lead anywhere else. */
function toNext(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > nextLengthMax) return undefined;
  const { folder, last } = nextForm.exec(text)?.groups ?? {};
  if (folder === undefined || last === undefined) return undefined;
  if (!nextPaths.has(folder + last) && !(last !== '' && nextPaths.has(`${folder}*`))) return undefined;
  // A browser resolves dots, even encoded ones; what is left must be what was written.
  const { origin, pathname, search } = new URL(text, 'http://vault');
  return origin === 'http://vault' && pathname + search === text ? text : undefined;
}

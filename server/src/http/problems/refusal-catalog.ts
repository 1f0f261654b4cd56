import type { ErrorCode } from '../../core/errors/domain-error.ts';
import type { ProblemEntry } from './problem-entry.ts';

/** The part of the catalog about callers that are unknown or not allowed. */
export const refusalCatalog = {
  unauthenticated: {
    status: 401,
    title: 'Unauthorized',
    meaning: 'The BT-API-KEY header is missing, or its key is unknown, revoked or expired.',
    remedy:
      'Send an application key in the BT-API-KEY header. A key is shown only once, when it is created; if it is lost, create a new one.',
  },
  'tenant-deleted': {
    status: 401,
    title: 'Unauthorized',
    meaning:
      'The tenant of the key was deleted. All of its keys and sessions are refused, and its data is kept for seven days before it is removed for good.',
    remedy:
      'Within these seven days, the owner can restore the tenant in the portal, or an operator can run `strongroom tenants restore`. Its keys then work again. If the tenant was deleted on purpose, stop using the key.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    meaning:
      'The key is valid, but its application does not have permission for this operation on this container, or does not list the origin of the page.',
    remedy:
      '`detail` names the missing permission and the container. Grant it to the application, or use another key. For a page, add its origin to the `allowed_origins` of the public application.',
  },
  'sign-in-too-old': {
    status: 403,
    title: 'Forbidden',
    meaning: 'In the portal, everything that changes something needs a sign-in within the last 15 minutes.',
    remedy: 'Sign in again, then repeat the change. This limits how long a stolen session can make changes.',
  },
  'sign-in-way-required': {
    status: 403,
    title: 'Forbidden',
    meaning:
      'In the portal, a session that began with a link can only set up a way to sign in. This holds in production tenants, and in test tenants with the setting `require_sign_in_way`. The same holds for a session that began with a password without letters or digits, and, in a tenant with the setting `require_openid`, for every session that did not begin at the OpenID provider.',
    remedy:
      'Open /portal/account, set up a passkey, a password with an authenticator app or the OpenID provider, and sign in with it. In a tenant with `require_openid`, sign in with the OpenID provider; if it is not connected to you yet, connect it there first. If you already have a way, sign in with it; if it is lost, ask the vault operator for a link that removes it.',
  },
  'awaiting-approval': {
    status: 403,
    title: 'Forbidden',
    meaning:
      'The tenant has `approve_plaintext` set, and the key, or the application that it belongs to, has not been approved yet. Until it is, the key can do nothing.',
    remedy:
      'Ask an owner or admin who did not request it to approve it in the portal, at /portal/approvals. A request ends after 72 hours; then create the key or the application again.',
  },
  'other-cell': {
    status: 421,
    title: 'Misdirected Request',
    meaning:
      'The vault is one of several cells, and the key belongs to another one: it names that cell, or its tenant was moved there. A key that names another cell is not looked up.',
    remedy:
      'Send the request to the cell that `cell` in the response names. If a router distributes requests by key, check its map; if clients use the address of a cell, check which one. Operators: see STRONGROOM_CELL.',
  },
} satisfies Partial<Record<ErrorCode, ProblemEntry>>;

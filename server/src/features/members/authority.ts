import { DomainError } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { AuthorityStore, type StoredAuthority } from './authority-store.ts';
import { MemberStore } from './member-store.ts';

/**
 * The authority on which something is done. It is stored with applications and keys. An application can use rights that
 * only the owner has if the owner or the operator granted its rights and issued the key in use.
 */
export interface Authority {
  readonly as: 'OPERATOR' | 'OWNER' | 'ADMIN';
  /** The member who holds this authority. Null for the operator, or if the member is no longer known. */
  readonly by: string | null;
}

/** The operator on the command line. */
export const operatorAuthority: Authority = { as: 'OPERATOR', by: null };

/**
 * Finds the authority of a caller, in the transaction that needs it. A member may have lost the role since the request
 * began.
 */
export async function findAuthority(tx: Transaction, caller: Caller): Promise<Authority> {
  if ('userId' in caller) {
    const role = await new MemberStore(tx, caller.tenantId).findRole(caller.userId);
    if (role === undefined || role === 'READ_ONLY') {
      throw new DomainError('forbidden', 'Your role in this tenant has changed. Reload the page.');
    }
    return { as: role, by: caller.userId };
  }
  const found = await new AuthorityStore(tx, caller.tenantId).findOfKey(caller.keyId);
  if (found === undefined) throw new DomainError('unauthenticated', 'The key in the BT-API-KEY header is not valid.');
  return toAuthority(found);
}

/**
 * Returns the member on whose authority a caller acts, if any. If the key has just been revoked, this is the member on
 * whose authority its application acts.
 */
export async function findGranter(tx: Transaction, caller: Caller): Promise<string | null> {
  if ('userId' in caller) return caller.userId;
  const store = new AuthorityStore(tx, caller.tenantId);
  const found = await store.findOfKey(caller.keyId);
  return found === undefined ? store.findGranterOf(caller.applicationId) : toAuthority(found).by;
}

/** Throws unless the caller acts for the owner or the operator. `what` completes the sentence "Only the owner can". */
export async function requireOwnerAuthority(tx: Transaction, caller: Caller, what: string): Promise<void> {
  const { as } = await findAuthority(tx, caller);
  if (as !== 'ADMIN') return;
  const advice =
    'userId' in caller
      ? 'Ask the owner to do it.'
      : 'This application or this key was not given by the owner. The owner can do it in the portal, or save the application there and create another key for it.';
  throw new DomainError('forbidden', `Only the owner of the tenant can ${what}. ${advice}`);
}

/** Combines the authority of an application and its key. The lower of the two counts. */
function toAuthority({ ownerId, ...found }: StoredAuthority): Authority {
  const isOperators = found.applicationAs === 'OPERATOR' && found.keyAs === 'OPERATOR';
  if (isOperators) return operatorAuthority;
  const stands = (as: string | null, by: string | null) =>
    as === 'OPERATOR' || (as === 'OWNER' && by !== null && by === ownerId);
  const isOwners = stands(found.applicationAs, found.applicationBy) && stands(found.keyAs, found.keyBy);
  if (isOwners) return { as: 'OWNER', by: ownerId };
  return { as: 'ADMIN', by: found.keyBy ?? found.applicationBy };
}

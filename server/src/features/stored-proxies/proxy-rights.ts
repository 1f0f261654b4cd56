import { DomainError, invalidField } from '../../core/errors/domain-error.ts';
import { isGranted } from '../../core/access/decide-access.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { toJsonText } from '../../core/json/json-text.ts';
import { ApprovalStore } from '../approvals/index.ts';
import { ApplicationStore, isManageable, requireGrantable, requireManageable } from '../applications/index.ts';
import { findAuthority } from '../members/index.ts';
import type { ProxySettings, StoredProxy } from './stored-proxy.ts';

/*
 * A proxy lends rights to its callers and decides where their plaintext goes. Its creator therefore needs whatever it
 * takes to grant those rights to an application.
 */

/** Throws unless the caller could grant the rights of the proxy. */
export async function requireGrantableProxy(tx: Transaction, caller: Caller, wanted: ProxySettings): Promise<void> {
  const { applicationId } = wanted;
  if (applicationId === null) {
    requireUnlimited(caller);
    return;
  }
  const application = await new ApplicationStore(tx, caller.tenantId).find(applicationId);
  if (application?.type !== 'private') throw invalidField('application', 'must be a private application of the tenant');
  requireManageable(caller, application);
  requireGrantable(await findAuthority(tx, caller), application);
}

/** Throws unless the caller may change or delete a proxy with these rights. That of a deleted application has none. */
export async function requireManageableProxy(tx: Transaction, caller: Caller, current: ProxySettings): Promise<void> {
  const { applicationId } = current;
  if (applicationId === null) return requireUnlimited(caller);
  const application = await new ApplicationStore(tx, caller.tenantId).find(applicationId);
  if (application !== undefined) requireManageable(caller, application);
}

/** A proxy without an application has the rights of any caller, so no limit covers it. */
function requireUnlimited({ grantLimit }: Caller): void {
  if (grantLimit === undefined) return;
  throw new DomainError(
    'forbidden',
    'Exceeds the grant_limit of the calling application: a proxy without an application, which has the rights of any caller',
  );
}

/**
 * Returns true if the caller may see the key of a proxy. Anyone who has the key can use the rights of the proxy, so
 * callers who only read do not see it, and limited applications see only those that they could have created.
 */
export async function maySeeKey(tx: Transaction, caller: Caller, { applicationId }: StoredProxy): Promise<boolean> {
  const mayDecide = isGranted(caller.grants, 'proxy:update') || isGranted(caller.grants, 'proxy:create');
  if ('userId' in caller || !mayDecide) return mayDecide;
  if (caller.grantLimit === undefined) return true;
  if (applicationId === null) return false;
  const application = await new ApplicationStore(tx, caller.tenantId).find(applicationId);
  return application !== undefined && isManageable(caller, application);
}

/**
 * Throws if the tenant demands approvals for what widens access to plaintext. Requests for approval do not cover proxies,
 * so only the name can be changed then.
 */
export async function requireNoApproval(
  tx: Transaction,
  { tenantId }: Caller,
  {
    before,
    after,
    keepsSecrets,
  }: { readonly before: ProxySettings | undefined; readonly after: ProxySettings; readonly keepsSecrets: boolean },
): Promise<void> {
  if (before !== undefined && keepsSecrets && toEffect(before) === toEffect(after)) return;
  if (!(await new ApprovalStore(tx, tenantId).isDemanded())) return;
  throw new DomainError(
    'forbidden',
    'Stored proxies can be created and changed only while approve_plaintext of the tenant is off, because they decide where plaintext goes. Turning it off needs an approval itself.',
  );
}

/** Returns everything about a proxy that decides what it does. */
function toEffect({ name: _name, ...settings }: ProxySettings): string {
  return toJsonText([
    settings.destinationUrl,
    settings.requireAuth,
    settings.applicationId,
    settings.requestTransforms,
    settings.responseTransforms,
    settings.timeoutSeconds,
    settings.disableDetokenization,
    settings.allowedSources,
    settings.callerCheck === null ? null : { ...settings.callerCheck },
  ]);
}

import { isGranted, toRules } from '../../core/access/decide-access.ts';
import { type ApplicationId, toId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { ApplicationStore } from '../applications/index.ts';
import { MemberStore, rolePermissions } from '../members/index.ts';
import type { Invitation } from './invitation.ts';

/**
 * Returns true if the people who sent an invitation could still send it, so that a removed member has no way back. The
 * author is the sender of the currently valid link. If an application sent it, the member on whose authority it acted
 * must still be able to invite, too.
 */
export async function mayStillInvite(tx: Transaction, invitation: Invitation): Promise<boolean> {
  const { tenantId, createdBy, modifiedBy, grantedBy } = invitation;
  const author = modifiedBy ?? createdBy;
  if (author === null) return true;
  const members = new MemberStore(tx, tenantId);
  const isInviting = async (userId: string) => {
    const role = await members.findRole(userId);
    return role === undefined ? undefined : rolePermissions[role].includes('tenant:invitation:create');
  };
  if (grantedBy !== null && (await isInviting(grantedBy)) !== true) return false;
  return (await isInviting(author)) ?? isApplicationInviting(tx, invitation, toId<ApplicationId>(author));
}

async function isApplicationInviting(tx: Transaction, { tenantId }: Invitation, id: ApplicationId): Promise<boolean> {
  const application = await new ApplicationStore(tx, tenantId).findUsable(id);
  if (application === undefined) return false;
  const { permissions, rules } = application;
  // Resending a link requires this permission too.
  return isGranted({ rules: toRules(permissions, rules) }, 'tenant:invitation:create');
}

import { toRules } from '../../../core/access/decide-access.ts';
import type { Permission } from '../../../core/access/permission.ts';
import { isGranted } from '../../../core/access/decide-access.ts';
import { type ApplicationId, toId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { ApplicationStore } from '../../applications/index.ts';
import { MemberStore, rolePermissions } from '../../members/index.ts';
import type { Webhook } from '../model/webhook.ts';

/** An endpoint receives what the log says, so setting one needs the right to read the log as well. */
export const rightsToSet = ['webhook:update', 'log:read'] as const satisfies readonly Permission[];
const rightsToCreate = ['webhook:create', 'log:read'] as const satisfies readonly Permission[];

/**
 * Returns true if whoever last set an endpoint could still do so, and so could the member on whose authority an
 * application did. Otherwise a removed member would go on receiving events.
 */
export async function mayStillReceive(tx: Transaction, webhook: Webhook): Promise<boolean> {
  const { tenantId, createdBy, modifiedBy, grantedBy } = webhook;
  const needed = modifiedBy === null ? rightsToCreate : rightsToSet;
  const author = modifiedBy ?? createdBy;
  if (author === null) return true;
  const members = new MemberStore(tx, tenantId);
  const mayAsMember = async (userId: string) => {
    const role = await members.findRole(userId);
    return role === undefined ? undefined : needed.every((right) => rolePermissions[role].includes(right));
  };
  if (grantedBy !== null && (await mayAsMember(grantedBy)) !== true) return false;
  const asMember = await mayAsMember(author);
  if (asMember !== undefined) return asMember;
  const application = await new ApplicationStore(tx, tenantId).findUsable(toId<ApplicationId>(author));
  if (application === undefined || application.awaitsApproval) return false;
  const rules = toRules(application.permissions, application.rules);
  return needed.every((right) => isGranted({ rules }, right));
}

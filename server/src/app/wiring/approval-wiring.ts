import { toRules } from '../../core/access/decide-access.ts';
import { type ApplicationId, type ApplicationKeyId, toId } from '../../core/identity/ids.ts';
import {
  ApplicationApproval,
  ApplicationKeyApproval,
  ApplicationKeyStore,
  ApplicationStore,
} from '../../features/applications/index.ts';
import { ApprovalDecisions, operatorCaller, operatorId, type RequesterFinder } from '../../features/approvals/index.ts';
import { InvitationApproval, InvitationLinks } from '../../features/invitations/index.ts';
import { MemberStore, operatorGrants, RoleApproval, rolePermissions } from '../../features/members/index.ts';
import { ErasureApproval, HoldApproval, type RightsFinder, RuleApproval } from '../../features/retention/index.ts';
import { SettingsApproval } from '../../features/tenants/index.ts';
import type { VaultCore } from './vault-core.ts';

/** Builds the service that decides on approval requests, with the effect that an approval has in each feature. */
export function createApprovals({ database, systemKeys }: VaultCore, publicUrl: string): ApprovalDecisions {
  return new ApprovalDecisions({
    database,
    findRequester,
    effects: {
      application: new ApplicationApproval(),
      key: new ApplicationKeyApproval(),
      role: new RoleApproval(),
      invitation: new InvitationApproval(new InvitationLinks({ systemKeys, publicUrl })),
      settings: new SettingsApproval(),
      retention_rule: new RuleApproval(),
      legal_hold: new HoldApproval(),
      erasure: new ErasureApproval(),
    },
  });
}

const findRequester: RequesterFinder = async (tx, { requestedBy, requestedKey }, approver) => {
  const { tenantId, requestId, sourceAddress } = approver;
  const origin = { tenantId, requestId, sourceAddress };
  if (requestedBy === operatorId) {
    return { ...operatorCaller(tenantId), ...origin, grants: operatorGrants };
  }
  if (requestedKey === null) {
    const role = await new MemberStore(tx, tenantId).findRole(requestedBy);
    if (role === undefined) return undefined;
    const grants = { rules: toRules(rolePermissions[role], []) };
    return { ...origin, userId: requestedBy, role, grants, isProven: false, isByProvider: false };
  }
  const applicationId = toId<ApplicationId>(requestedBy);
  const keyId = toId<ApplicationKeyId>(requestedKey);
  const application = await new ApplicationStore(tx, tenantId).findUsable(applicationId);
  const key = await new ApplicationKeyStore(tx, tenantId).find(applicationId, keyId);
  if (application === undefined || key === undefined || key.awaitsApproval) return undefined;
  const { type, permissions, rules, grantLimit } = application;
  return {
    ...origin,
    applicationId,
    applicationType: type,
    keyId,
    grants: { rules: toRules(permissions, rules) },
    ...(grantLimit === null ? {} : { grantLimit }),
  };
};

/** Finds the requester of an erasure, with the rights that they have now. */
export const findErasureRights: RightsFinder = (tx, tenantId, { createdBy, createdKey }) =>
  findRequester(
    tx,
    { requestedBy: createdBy ?? operatorId, requestedKey: createdKey },
    { tenantId, userId: operatorId, requestId: '', sourceAddress: '' },
  );

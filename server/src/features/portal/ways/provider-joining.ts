import type { TenantId } from '../../../core/identity/ids.ts';
import { recordInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { Database } from '../../../platform/database/database.ts';
import { holdTenantState } from '../../../platform/database/open-tenant.ts';
import type { JoiningRole, JoiningRule } from '../../../platform/outbound/openid-config.ts';
import type { OpenidSubject } from '../../../platform/outbound/openid-provider.ts';
import { ApprovalStore } from '../../approvals/index.ts';
import { isPromotion, MemberStore, roleEvent } from '../../members/index.ts';
import { SignInRefused } from '../people/sign-in-refused.ts';
import type { Origin } from '../people/user.ts';

/** The person at the provider. */
type Person = Pick<OpenidSubject, 'subject' | 'verifiedEmail' | 'groups'>;

/** The group that stands for everybody. */
const everybody = '*';

const taken =
  'There is already a user with your e-mail address or your account at the provider. Sign in as before, and connect the provider in your account.';

/**
 * Makes people members of tenants when they first sign in at the provider. The operator says which domains of verified
 * addresses belong to which tenant, and which role a group has. Existing roles are never changed, and people who were
 * removed from a tenant need an invitation.
 */
export class ProviderJoining {
  readonly #database: Database;
  readonly #rules: readonly JoiningRule[];

  constructor(parts: { readonly database: Database; readonly rules: readonly JoiningRule[] }) {
    this.#database = parts.database;
    this.#rules = parts.rules;
  }

  /** Joins the person to every tenant that expects them. Does nothing for everybody else. */
  async join(issuer: string, person: Person, origin: Origin): Promise<void> {
    const domain = person.verifiedEmail?.split('@')[1]?.toLowerCase();
    if (domain === undefined) return;
    for (const { tenantId, domains, roles } of this.#rules) {
      const role = domains.includes(domain) ? highestRole(roles, person.groups) : undefined;
      if (role !== undefined) await this.#joinTenant(tenantId, { issuer, person, role, origin });
    }
  }

  #joinTenant(
    tenantId: TenantId,
    joining: { readonly issuer: string; readonly person: Person; readonly role: JoiningRole; readonly origin: Origin },
  ): Promise<void> {
    const { issuer, person, role, origin } = joining;
    return this.#database.forTenant(tenantId, async (tx) => {
      // The operator may name a tenant that has been deleted since.
      if ((await holdTenantState(tx, tenantId)) !== 'open') return;
      const members = new MemberStore(tx, tenantId);
      const userId = await members.joinByProvider(issuer, person.subject, person.verifiedEmail ?? '');
      if (userId === undefined) throw new SignInRefused(taken);
      if ((await members.findRole(userId)) !== undefined || (await members.wasRemoved(userId))) return;
      const needsApproval = isPromotion(undefined, role) && (await new ApprovalStore(tx, tenantId).isDemanded());
      // Nobody at the provider can replace the second person who has to approve a new admin.
      const given = needsApproval ? 'READ_ONLY' : role;
      const memberId = await members.insert({ userId, role: given, createdBy: null });
      const { requestId, sourceAddress } = origin;
      const actor = { tenantId, userId, requestId, sourceAddress };
      await recordInTransaction(tx, tenantId, actor, roleEvent(memberId, 'create', { after: given }));
    });
  }
}

/** Returns the role of the groups that allows most. Undefined if none of them has a role. */
function highestRole(roles: JoiningRule['roles'], groups: readonly string[]): JoiningRole | undefined {
  const given = [everybody, ...groups].map((group) => roles.get(group));
  return given.includes('ADMIN') ? 'ADMIN' : given.find((role) => role !== undefined);
}

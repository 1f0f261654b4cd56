import { DomainError, invalidField } from '../../core/errors/domain-error.ts';
import { actorIdOf, type Caller } from '../../core/identity/caller.ts';
import { parseEmailAddress } from '../../core/identity/email-address.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Page, PageRequest } from '../../http/parameters/pagination.ts';
import { noSingleEntity } from '../../platform/audit/record/audit-event.ts';
import { type AuditLog, recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { type DatabaseClock, databaseClock } from '../../platform/database/database-clock.ts';
import { requireOpenTenant } from '../../platform/database/open-tenant.ts';
import {
  type ApprovalRequest,
  ApprovalStore,
  requestApproval,
  type WithApproval,
  withApprovals,
} from '../approvals/index.ts';
import { findGranter, isPromotion, MemberStore, roleDetails } from '../members/index.ts';
import {
  type Invitation,
  type InvitationStatus,
  invitationEvent,
  type InvitedRole,
  isAgreed,
  noSuchInvitation,
} from './invitation.ts';
import type { InvitationLinks } from './invitation-link.ts';
import { InvitationStore } from './invitation-store.ts';

/** This is more than any tenant needs at once. More would be spam. */
const invitationsMax = 500;

export interface NewInvitation {
  readonly email: string;
  readonly role: InvitedRole;
}

/** An invitation, with the last approval request for it, if any. */
export type ShownInvitation = WithApproval<Invitation>;

interface InvitationServiceParts {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly links: InvitationLinks;
  readonly clock?: DatabaseClock;
}

/** Manages the invitations to a tenant. Each has one link, which creates one member, once. */
export class InvitationService {
  readonly #parts: InvitationServiceParts;
  readonly #clock: DatabaseClock;

  constructor(parts: InvitationServiceParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? databaseClock;
  }

  /**
   * Creates an invitation. The mail is queued in the same transaction, so the job exists if and only if the invitation
   * does. An invitation that has to be approved has neither a link nor a mail until then. Actions of an operator need
   * no approval.
   */
  async create(tenantId: TenantId, actor: Caller | 'system', wanted: NewInvitation): Promise<ShownInvitation> {
    const email = parseEmailAddress(wanted.email);
    if (email === undefined) throw invalidField('email', 'must be an e-mail address such as name@example.com');
    const id = crypto.randomUUID();
    return this.#parts.database.forTenant(tenantId, async (tx) => {
      await requireOpenTenant(tx, tenantId);
      if (await new MemberStore(tx, tenantId).hasEmail(email)) {
        throw new DomainError('already-a-member', 'Somebody with this e-mail address is a member already.', {
          found: {},
        });
      }
      const store = this.#store(tx, tenantId);
      if ((await store.count()) >= invitationsMax) {
        throw new DomainError(
          'validation-failed',
          `A tenant can have at most ${invitationsMax} invitations. Delete some that are no longer needed.`,
        );
      }
      const asking = actor !== 'system' && (await needsApproval(tx, tenantId, wanted.role)) ? actor : undefined;
      const link = asking === undefined ? this.#parts.links.make(id, email) : this.#parts.links.makeNone();
      const grantedBy = actor === 'system' ? null : await findGranter(tx, actor);
      const invitation = await store.insert({
        id,
        email,
        role: wanted.role,
        link,
        createdBy: actorIdOf(actor),
        grantedBy,
      });
      if (invitation === undefined) {
        throw new DomainError(
          'already-invited',
          'This e-mail address has been invited already. Resend the invitation.',
          { found: {} },
        );
      }
      await recordInTransaction(tx, tenantId, actor, invitationEvent(id, 'create'));
      if (asking !== undefined) return { ...invitation, approval: await askFor(tx, asking, invitation) };
      await store.enqueueMail(invitation);
      return { ...invitation, approval: undefined };
    });
  }

  /**
   * Replaces the link. The previous link is invalid as soon as this commits, whether or not its mail has been sent. If
   * the invitation still has to be approved, it has no link until then.
   */
  async resend(caller: Caller, id: string): Promise<ShownInvitation> {
    return this.#parts.database.forTenant(caller.tenantId, async (tx) => {
      const store = this.#store(tx, caller.tenantId);
      const current = await store.lock(id);
      if (current === undefined) throw noSuchInvitation();
      if (!isAgreed(current) && (await needsApproval(tx, caller.tenantId, current.role))) {
        await store.suspend(id, this.#parts.links.makeNone(), actorIdOf(caller));
        await askFor(tx, caller, current);
        return getShown(tx, caller, await store.find(id));
      }
      await new ApprovalStore(tx, caller.tenantId).withdraw('invitation', id);
      const link = this.#parts.links.make(id, current.email);
      const grantedBy = await findGranter(tx, caller);
      const invitation = await store.replaceLink(id, link, { modifiedBy: actorIdOf(caller), grantedBy });
      if (invitation === undefined) throw noSuchInvitation();
      await store.enqueueMail(invitation);
      await recordInTransaction(tx, caller.tenantId, caller, invitationEvent(id, 'resend'));
      return getShown(tx, caller, invitation);
    });
  }

  async list(
    caller: Caller,
    status: InvitationStatus | undefined,
    request: PageRequest,
  ): Promise<Page<ShownInvitation>> {
    const page = await this.#parts.database.forTenant(caller.tenantId, async (tx) => {
      const { totalItems, items } = await this.#store(tx, caller.tenantId).list(status, request);
      return { totalItems, items: await withApprovals(tx, caller.tenantId, items) };
    });
    await this.#parts.audit.append(caller, invitationEvent(noSingleEntity, 'read'));
    return page;
  }

  async get(caller: Caller, id: string): Promise<ShownInvitation> {
    const invitation = await this.#parts.database.forTenant(caller.tenantId, async (tx) =>
      getShown(tx, caller, await this.#store(tx, caller.tenantId).find(id)),
    );
    await this.#parts.audit.append(caller, invitationEvent(id, 'read'));
    return invitation;
  }

  async delete(caller: Caller, id: string): Promise<void> {
    await this.#parts.database.forTenant(caller.tenantId, async (tx) => {
      if (!(await this.#store(tx, caller.tenantId).delete(id))) throw noSuchInvitation();
      await new ApprovalStore(tx, caller.tenantId).withdrawAll(id);
      await recordInTransaction(tx, caller.tenantId, caller, invitationEvent(id, 'delete'));
    });
  }

  /** Returns the link for an operator to pass on, or undefined if it has already been mailed. */
  async showLink(tenantId: TenantId, id: string): Promise<string | undefined> {
    return this.#parts.database.forTenant(tenantId, async (tx) => {
      const details = await this.#store(tx, tenantId).findDetails(id);
      if (details === undefined) throw noSuchInvitation();
      if (await new ApprovalStore(tx, tenantId).hasPending('invitation', id)) {
        throw new DomainError('awaiting-approval', 'The invitation awaits approval, and has no link until then.');
      }
      if (details.linkSealed === null) return undefined;
      await recordInTransaction(tx, tenantId, 'system', invitationEvent(id, 'issue_link'));
      return this.#parts.links.open(details, details.linkSealed);
    });
  }

  #store(tx: Transaction, tenantId: TenantId): InvitationStore {
    return new InvitationStore(tx, tenantId, this.#clock);
  }
}

async function needsApproval(tx: Transaction, tenantId: TenantId, role: InvitedRole): Promise<boolean> {
  return isPromotion(undefined, role) && (await new ApprovalStore(tx, tenantId).isDemanded());
}

function askFor(tx: Transaction, caller: Caller, { id, role }: Invitation): Promise<ApprovalRequest> {
  const details = roleDetails({ after: role });
  return requestApproval(tx, caller, { kind: 'invitation', subjectId: id, change: {}, basis: role, details });
}

async function getShown(tx: Transaction, caller: Caller, found: Invitation | undefined): Promise<ShownInvitation> {
  const [shown] = await withApprovals(tx, caller.tenantId, found === undefined ? [] : [found]);
  if (shown === undefined) throw noSuchInvitation();
  return shown;
}

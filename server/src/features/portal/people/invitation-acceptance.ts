import { DomainError } from '../../../core/errors/domain-error.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { successEvent } from '../../../platform/audit/record/audit-event.ts';
import { recordInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { Database } from '../../../platform/database/database.ts';
import { holdTenantState } from '../../../platform/database/open-tenant.ts';
import { type DatabaseClock, databaseClock } from '../../../platform/database/database-clock.ts';
import {
  type InvitationDetails,
  invitationEvent,
  type InvitationLinks,
  InvitationStore,
  isAgreed,
  mayStillInvite,
} from '../../invitations/index.ts';
import { ApprovalStore } from '../../approvals/index.ts';
import { isPromotion, MemberStore, roleEvent } from '../../members/index.ts';
import { LinkedInvitationStore } from './linked-invitation-store.ts';
import type { StartedSession, UserSessions } from './user-sessions.ts';
import { UserStore } from './user-store.ts';
import type { SignInOrigin, UserSession } from './user.ts';

export interface OfferedInvitation {
  readonly details: InvitationDetails;
  /** True if the address belongs to a user who must be signed in to accept. */
  readonly needsSignIn: boolean;
}

interface InvitationAcceptanceParts {
  readonly database: Database;
  readonly links: InvitationLinks;
  readonly sessions: UserSessions;
  readonly clock?: DatabaseClock;
}

/**
 * Turns an invitation into a member. The link proves that an invitation was delivered, but not that the visitor is the
 * user with that address, because a link can be passed on. Therefore it can create a new user or add a tenant to a
 * signed-in user, but it never signs in a user who has a sign-in method.
 */
export class InvitationAcceptance {
  readonly #parts: InvitationAcceptanceParts;
  readonly #clock: DatabaseClock;

  constructor(parts: InvitationAcceptanceParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? databaseClock;
  }

  /** Returns what the link offers. This changes nothing, so mail scanners may open the link any number of times. */
  async find(link: string, session: UserSession | undefined): Promise<OfferedInvitation | undefined> {
    const linkHash = this.#parts.links.hash(link);
    if (linkHash === undefined) return undefined;
    return this.#parts.database.forPortal(async (tx) => {
      const tenantId = await new LinkedInvitationStore(tx).findTenant(linkHash);
      if (tenantId === undefined) return undefined;
      const details = await new InvitationStore(tx, tenantId, this.#clock).findDetailsByLink(linkHash);
      if (details === undefined || details.isTenantDeleted) return undefined;
      const users = new UserStore(tx);
      const user = await users.findByEmail(details.email);
      const isOwn = user !== undefined && user.id === session?.user.id;
      return { details, needsSignIn: user !== undefined && !isOwn && (await users.isTaken(user.id)) };
    });
  }

  /**
   * Creates one member with the audit records, or nothing at all. For a new user, it also creates a session. The
   * session of a signed-in user stays unchanged. Accepting proves nothing about the user, so it must not make an old
   * sign-in count as a recent one.
   */
  async accept(
    link: string,
    session: UserSession | undefined,
    origin: SignInOrigin,
  ): Promise<StartedSession | undefined> {
    const linkHash = this.#parts.links.hash(link);
    const tenantId =
      linkHash === undefined
        ? undefined
        : await this.#parts.database.forPortal((tx) => new LinkedInvitationStore(tx).findTenant(linkHash));
    if (linkHash === undefined || tenantId === undefined) throw noLivingInvitation();
    return this.#acceptIn(tenantId, { linkHash, session, origin });
  }

  #acceptIn(
    tenantId: TenantId,
    { linkHash, session, origin }: { linkHash: Buffer; session: UserSession | undefined; origin: SignInOrigin },
  ): Promise<StartedSession | undefined> {
    return this.#parts.database.forTenant(tenantId, async (tx) => {
      const invitation = await new InvitationStore(tx, tenantId, this.#clock).take(linkHash);
      if (invitation === undefined || !(await mayStillInvite(tx, invitation))) throw noLivingInvitation();
      const isDemanded =
        isPromotion(undefined, invitation.role) && (await new ApprovalStore(tx, tenantId).isDemanded());
      // The invitation was sent before the tenant required approvals. It is rejected, because its sender could
      // otherwise use it to approve.
      if (isDemanded && !isAgreed(invitation)) {
        throw new DomainError(
          'awaiting-approval',
          'The tenant now demands that a second owner or admin approves this invitation. Ask for it to be resent.',
        );
      }
      const members = new MemberStore(tx, tenantId);
      if ((await holdTenantState(tx, tenantId)) !== 'open') throw noLivingInvitation();
      const user = await members.joinUser(invitation.email);
      const isOwn = user.id === session?.user.id;
      if (!user.isFree && !isOwn) {
        throw new DomainError('forbidden', 'To accept the invitation, sign in as the user with this e-mail address.');
      }
      const { role, createdBy } = invitation;
      const memberId = await members.insert({ userId: user.id, role, createdBy });
      const started = isOwn
        ? undefined
        : await this.#parts.sessions.startInTransaction(tx, { userId: user.id, provenSince: null }, origin);
      const { requestId, sourceAddress } = origin;
      const actor = { tenantId, userId: user.id, requestId, sourceAddress };
      const accepted = [invitationEvent(invitation.id, 'accept'), roleEvent(memberId, 'create', { after: role })];
      const signedIn = started === undefined ? [] : [successEvent('session', started.id, 'sign_in')];
      for (const event of [...accepted, ...signedIn]) await recordInTransaction(tx, tenantId, actor, event);
      return started;
    });
  }
}

/** Returns the same error for a link that was replaced, used or deleted, has expired or never existed. */
export function noLivingInvitation(): DomainError {
  return new DomainError('not-found', 'This invitation is no longer valid. Ask for a new one.');
}

import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { successEvent } from '../../platform/audit/audit-event.ts';
import { recordInTransaction } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { type DatabaseClock, databaseClock } from '../../platform/database/database-clock.ts';
import {
  type InvitationDetails,
  invitationEvent,
  type InvitationLinks,
  InvitationStore,
} from '../invitations/index.ts';
import { MemberStore, roleEvent } from '../members/index.ts';
import { LinkedInvitationStore } from './linked-invitation-store.ts';
import type { StartedSession, UserSessions } from './user-sessions.ts';
import { UserStore } from './user-store.ts';
import type { Origin, UserSession } from './user.ts';

export interface OfferedInvitation {
  readonly details: InvitationDetails;
  /** The address belongs to somebody who has to be signed in to accept. */
  readonly needsSignIn: boolean;
}

/**
 * Turns an invitation into a member. Whoever has the link proves that an invitation reached them, not that they are the
 * user with that address: a link can be shown to others. So it makes somebody who was nobody before, and adds a tenant to
 * somebody who is signed in, but never signs anybody in who could do so on their own.
 */
export class InvitationAcceptance {
  readonly #database: Database;
  readonly #links: InvitationLinks;
  readonly #sessions: UserSessions;
  readonly #clock: DatabaseClock;

  constructor(parts: { database: Database; links: InvitationLinks; sessions: UserSessions; clock?: DatabaseClock }) {
    this.#database = parts.database;
    this.#links = parts.links;
    this.#sessions = parts.sessions;
    this.#clock = parts.clock ?? databaseClock;
  }

  /** What the link offers. Looking changes nothing, however often a mail scanner does. */
  async find(link: string, session: UserSession | undefined): Promise<OfferedInvitation | undefined> {
    const linkHash = this.#links.hash(link);
    if (linkHash === undefined) return undefined;
    return this.#database.forPortal(async (tx) => {
      const tenantId = await new LinkedInvitationStore(tx).findTenant(linkHash);
      if (tenantId === undefined) return undefined;
      const details = await new InvitationStore(tx, tenantId, this.#clock).findDetailsByLink(linkHash);
      if (details === undefined) return undefined;
      const users = new UserStore(tx);
      const user = await users.findByEmail(details.email);
      const isOwn = user !== undefined && user.id === session?.user.id;
      return { details, needsSignIn: user !== undefined && !isOwn && (await users.isTaken(user.id)) };
    });
  }

  /** One member, one session and their records, or nothing of it. */
  async accept(link: string, session: UserSession | undefined, origin: Origin): Promise<StartedSession> {
    const linkHash = this.#links.hash(link);
    const tenantId =
      linkHash === undefined
        ? undefined
        : await this.#database.forPortal((tx) => new LinkedInvitationStore(tx).findTenant(linkHash));
    if (linkHash === undefined || tenantId === undefined) throw noLivingInvitation();
    return this.#acceptIn(tenantId, { linkHash, session, origin });
  }

  #acceptIn(
    tenantId: TenantId,
    { linkHash, session, origin }: { linkHash: Buffer; session: UserSession | undefined; origin: Origin },
  ): Promise<StartedSession> {
    return this.#database.forTenant(tenantId, async (tx) => {
      const invitation = await new InvitationStore(tx, tenantId, this.#clock).take(linkHash);
      if (invitation === undefined) throw noLivingInvitation();
      const members = new MemberStore(tx, tenantId);
      const user = await members.joinUser(invitation.email);
      if (!user.isFree && user.id !== session?.user.id) {
        throw new DomainError('forbidden', 'Sign in as the user with this e-mail address to accept the invitation.');
      }
      const { role, createdBy } = invitation;
      const memberId = await members.insert({ userId: user.id, role, createdBy });
      const started = await this.#sessions.startInTransaction(tx, { userId: user.id, provenSince: null });
      const actor = { tenantId, userId: user.id, ...origin };
      const signedIn = successEvent('session', started.id, 'sign_in');
      for (const event of [
        invitationEvent(invitation.id, 'accept'),
        roleEvent(memberId, 'create', { after: role }),
        signedIn,
      ]) {
        await recordInTransaction(tx, tenantId, actor, event);
      }
      return started;
    });
  }
}

/** The same for a link that was replaced, used, deleted, has expired or never existed. */
export function noLivingInvitation(): DomainError {
  return new DomainError('not-found', 'This invitation is not valid any more. Ask for a new one.');
}

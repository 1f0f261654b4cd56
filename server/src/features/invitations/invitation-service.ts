import { DomainError, invalidField } from '../../core/errors/domain-error.ts';
import { type Actor, actorIdOf, type Caller } from '../../core/identity/caller.ts';
import { parseEmailAddress } from '../../core/identity/email-address.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Page, PageRequest } from '../../http/pagination.ts';
import { noSingleEntity } from '../../platform/audit/audit-event.ts';
import { type AuditLog, recordInTransaction } from '../../platform/audit/audit-log.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { type DatabaseClock, databaseClock } from '../../platform/database/database-clock.ts';
import { ApplicationStore } from '../applications/index.ts';
import { MemberStore } from '../members/index.ts';
import {
  type Invitation,
  type InvitationStatus,
  invitationEvent,
  type InvitedRole,
  noSuchInvitation,
} from './invitation.ts';
import type { InvitationLinks } from './invitation-link.ts';
import { InvitationStore } from './invitation-store.ts';

/** More than any tenant needs at once; more would be spam. */
const invitationsMax = 500;

export interface NewInvitation {
  readonly email: string;
  readonly role: InvitedRole;
}

/** Invitations to a tenant. Each has one link, which creates one member, once. */
export class InvitationService {
  readonly #database: Database;
  readonly #audit: AuditLog;
  readonly #links: InvitationLinks;
  readonly #clock: DatabaseClock;

  constructor(parts: { database: Database; audit: AuditLog; links: InvitationLinks; clock?: DatabaseClock }) {
    this.#database = parts.database;
    this.#audit = parts.audit;
    this.#links = parts.links;
    this.#clock = parts.clock ?? databaseClock;
  }

  /** The mail is queued in the same transaction: it exists if and only if the invitation does. */
  async create(tenantId: TenantId, actor: Actor, wanted: NewInvitation): Promise<Invitation> {
    const email = parseEmailAddress(wanted.email);
    if (email === undefined) throw invalidField('email', 'must be an e-mail address such as name@example.com');
    const id = crypto.randomUUID();
    const link = this.#links.make(id, email);
    return this.#database.forTenant(tenantId, async (tx) => {
      // The tenant may be deleted concurrently by another caller.
      if (!(await new ApplicationStore(tx, tenantId).holdTenant())) throw noSuchTenant();
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
      const invitation = await store.insert({ id, email, role: wanted.role, link, createdBy: actorIdOf(actor) });
      if (invitation === undefined) {
        throw new DomainError(
          'already-invited',
          'This e-mail address has been invited already. Resend the invitation.',
          { found: {} },
        );
      }
      await store.enqueueMail(invitation);
      await recordInTransaction(tx, tenantId, actor, invitationEvent(id, 'create'));
      return invitation;
    });
  }

  /** Replaces the link: the previous one is invalid as soon as this commits, whether or not its mail has been sent. */
  async resend(caller: Caller, id: string): Promise<Invitation> {
    return this.#database.forTenant(caller.tenantId, async (tx) => {
      const store = this.#store(tx, caller.tenantId);
      const current = await store.lock(id);
      if (current === undefined) throw noSuchInvitation();
      const link = this.#links.make(id, current.email);
      const invitation = await store.replaceLink(id, link, actorIdOf(caller));
      if (invitation === undefined) throw noSuchInvitation();
      await store.enqueueMail(invitation);
      await recordInTransaction(tx, caller.tenantId, caller, invitationEvent(id, 'resend'));
      return invitation;
    });
  }

  async list(caller: Caller, status: InvitationStatus | undefined, request: PageRequest): Promise<Page<Invitation>> {
    const page = await this.#database.forTenant(caller.tenantId, (tx) =>
      this.#store(tx, caller.tenantId).list(status, request),
    );
    await this.#audit.append(caller, invitationEvent(noSingleEntity, 'read'));
    return page;
  }

  async get(caller: Caller, id: string): Promise<Invitation> {
    const invitation = await this.#database.forTenant(caller.tenantId, (tx) =>
      this.#store(tx, caller.tenantId).find(id),
    );
    if (invitation === undefined) throw noSuchInvitation();
    await this.#audit.append(caller, invitationEvent(id, 'read'));
    return invitation;
  }

  async delete(caller: Caller, id: string): Promise<void> {
    await this.#database.forTenant(caller.tenantId, async (tx) => {
      if (!(await this.#store(tx, caller.tenantId).delete(id))) throw noSuchInvitation();
      await recordInTransaction(tx, caller.tenantId, caller, invitationEvent(id, 'delete'));
    });
  }

  /** The link itself, for an operator to pass on; undefined once it has been mailed. */
  async showLink(tenantId: TenantId, id: string): Promise<string | undefined> {
    return this.#database.forTenant(tenantId, async (tx) => {
      const details = await this.#store(tx, tenantId).findDetails(id);
      if (details === undefined) throw noSuchInvitation();
      if (details.linkSealed === null) return undefined;
      await recordInTransaction(tx, tenantId, 'system', invitationEvent(id, 'issue_link'));
      return this.#links.open(details, details.linkSealed);
    });
  }

  #store(tx: Transaction, tenantId: TenantId): InvitationStore {
    return new InvitationStore(tx, tenantId, this.#clock);
  }
}

function noSuchTenant(): DomainError {
  return new DomainError('not-found', 'There is no such tenant.');
}

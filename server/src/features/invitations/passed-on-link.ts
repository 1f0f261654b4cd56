import { DomainError } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { databaseClock } from '../../platform/database/database-clock.ts';
import { ApprovalStore } from '../approvals/index.ts';
import { invitationEvent, noSuchInvitation } from './invitation.ts';
import type { InvitationLinks } from './invitation-link.ts';
import { InvitationStore } from './invitation-store.ts';

/**
 * Shows members the links of invitations in a vault that mails none. A person who has a link can join in the name of
 * the invited one, so it is not shown if the vault mails it, nor if the tenant requires approvals: a member could
 * otherwise become the second person whom an approval needs.
 */
export class PassedOnLinks {
  readonly #database: Database;
  readonly #links: InvitationLinks;
  readonly #mailsInvitations: boolean;

  constructor(parts: { database: Database; links: InvitationLinks; mailsInvitations: boolean }) {
    this.#database = parts.database;
    this.#links = parts.links;
    this.#mailsInvitations = parts.mailsInvitations;
  }

  /** Returns the link. The record of it is written first, so that nobody sees a link without a record. */
  async show(caller: Caller, id: string): Promise<string> {
    if (this.#mailsInvitations) throw refused('This vault mails invitations, and shows their links to nobody else.');
    const { tenantId } = caller;
    return this.#database.forTenant(tenantId, async (tx) => {
      if (await new ApprovalStore(tx, tenantId).isDemanded()) {
        throw refused('In a tenant that requires approvals, an operator of the vault prints the link.');
      }
      const details = await new InvitationStore(tx, tenantId, databaseClock).findDetails(id);
      if (details === undefined) throw noSuchInvitation();
      if (details.status === 'EXPIRED' || details.linkSealed === null) {
        throw new DomainError('not-found', 'The link has expired or was mailed. Create a new one.');
      }
      await recordInTransaction(tx, tenantId, caller, invitationEvent(id, 'issue_link'));
      return this.#links.open(details, details.linkSealed);
    });
  }
}

function refused(reason: string): DomainError {
  return new DomainError('forbidden', reason);
}

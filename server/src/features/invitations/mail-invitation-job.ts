import { membersOf } from '../../core/objects/members-of.ts';
import { isUuid, parseTenantId } from '../../core/identity/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import { type DatabaseClock, databaseClock } from '../../platform/database/database-clock.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { type Letter, type Mailer, MailRefusedError } from '../../platform/mail/mailer.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { writeInvitationLetter } from './invitation-letter.ts';
import type { InvitationLinks } from './invitation-link.ts';
import { mayStillInvite } from './inviter.ts';
import { InvitationStore } from './invitation-store.ts';

/**
 * Mails the link of an invitation. The job is queued with the invitation and retried until the mail server accepts the
 * mail. A link is not sent if it has been replaced, deleted or used, if it has expired, or if its sender may no longer
 * invite. Only workers with a mail server have this job. Others would take it from the queue without being able to run
 * it.
 */
export function mailInvitationJob(parts: {
  readonly database: Database;
  readonly links: InvitationLinks;
  readonly mailer: Mailer;
  readonly logger: Logger;
  readonly clock?: DatabaseClock;
}): Job {
  const { database, links, mailer, logger, clock = databaseClock } = parts;

  return {
    name: 'mail-invitation',
    async run(payload) {
      const { tenantId, id, linkNumber } = parsePayload(payload);
      const findCurrent = () =>
        database.forTenant(tenantId, async (tx) => {
          const details = await new InvitationStore(tx, tenantId, clock).findDetails(id);
          const isCurrent = details?.linkNumber === linkNumber && details.status === 'PENDING';
          if (!isCurrent || details.isTenantDeleted) return undefined;
          return (await mayStillInvite(tx, details)) ? details : undefined;
        });
      const write = async (): Promise<Letter | undefined> => {
        const details = await findCurrent();
        if (details === undefined || details.linkSealed === null) return undefined;
        return writeInvitationLetter(details, links.open(details, details.linkSealed));
      };

      const invitation = await findCurrent();
      if (invitation === undefined || invitation.linkSealed === null) return;
      try {
        if ((await mailer.send(invitation.email, write)) === 'withdrawn') return;
      } catch (error) {
        if (!(error instanceof MailRefusedError)) throw error;
        // An operator can still show the link.
        logger.warn('mail refused', { job: 'mail-invitation' });
        return;
      }
      await database.forTenant(tenantId, (tx) => new InvitationStore(tx, tenantId, clock).forgetLink(id, linkNumber));
    },
  };
}

function parsePayload(payload: unknown) {
  const { tenant_id, invitation_id, link_number } = membersOf(payload);
  if (typeof invitation_id !== 'string' || !isUuid(invitation_id) || typeof link_number !== 'number') {
    throw new TypeError('A mail job must name its invitation.');
  }
  return { tenantId: parseTenantId(String(tenant_id)), id: invitation_id, linkNumber: link_number };
}

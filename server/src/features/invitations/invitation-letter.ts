import { writeLetter } from '../../http/pages/letter.ts';
import type { Letter } from '../../platform/mail/mailer.ts';
import type { InvitationDetails } from './invitation.ts';

/** Writes the mail with the link. */
export function writeInvitationLetter(invitation: InvitationDetails, link: string): Letter {
  return writeLetter({
    subject: `Invitation to ${invitation.tenantName}`,
    lead: 'You have been invited to a tenant of a Strongroom vault.',
    facts: [
      ['Tenant', invitation.tenantName],
      ['Role', invitation.role],
      ['Invited by', invitation.inviter ?? 'a vault operator'],
      ['Valid until', `${invitation.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
    ],
    action: { label: 'View and accept the invitation', url: link },
    advice: 'If you were not expecting this invitation, you can ignore it: you only become a member if you accept.',
  });
}

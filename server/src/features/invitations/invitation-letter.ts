import { escapeHtml } from '../../http/pages/html.ts';
import type { Letter } from '../../platform/mail/mailer.ts';
import type { InvitationDetails } from './invitation.ts';

/** Writes the mail with the link. Text from users is escaped and placed on separate lines. */
export function writeInvitationLetter(invitation: InvitationDetails, link: string): Letter {
  const tenant = toLine(invitation.tenantName);
  const facts = [
    ['Tenant', tenant],
    ['Role', invitation.role],
    ['Invited by', toLine(invitation.inviter ?? 'a vault operator')],
    ['Valid until', `${invitation.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
  ] as const;
  const advice =
    'If you were not expecting this invitation, you can ignore it: you only become a member if you accept.';
  return {
    subject: `Invitation to ${tenant}`,
    text: [
      'You have been invited to a tenant of a Strongroom vault.',
      '',
      ...facts.map(([name, value]) => `${name}: ${value}`),
      '',
      'View and accept the invitation:',
      link,
      '',
      advice,
      '',
    ].join('\n'),
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Invitation</title></head>
<body>
<p>You have been invited to a tenant of a Strongroom vault.</p>
<table>
${facts.map(([name, value]) => `<tr><th align="left">${name}</th><td>${escapeHtml(value)}</td></tr>`).join('\n')}
</table>
<p><a href="${escapeHtml(link)}">View and accept the invitation</a></p>
<p>${advice}</p>
</body>
</html>
`,
  };
}

/** Replaces line breaks and other control characters, so that a name cannot fake another line of the mail. */
function toLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');
}

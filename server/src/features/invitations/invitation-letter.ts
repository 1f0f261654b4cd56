import { escapeHtml } from '../../http/html.ts';
import type { Letter } from '../../platform/mail/mailer.ts';
import type { InvitationDetails } from './invitation.ts';

/** The mail that carries a link. What others have typed stands in it as text, in lines of its own. */
export function writeInvitationLetter(invitation: InvitationDetails, link: string): Letter {
  const tenant = toLine(invitation.tenantName);
  const facts = [
    ['Tenant', tenant],
    ['Role', invitation.role],
    ['Invited by', toLine(invitation.inviter ?? 'an operator of the vault')],
    ['Valid until', `${invitation.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
  ] as const;
  const advice = 'If you did not expect this, do nothing: nobody becomes a member before accepting.';
  return {
    subject: `Invitation to ${tenant}`,
    text: [
      'You are invited to a tenant of a Strongroom vault.',
      '',
      ...facts.map(([name, value]) => `${name}: ${value}`),
      '',
      'Look at the invitation and accept it here:',
      link,
      '',
      advice,
      '',
    ].join('\n'),
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Invitation</title></head>
<body>
<p>You are invited to a tenant of a Strongroom vault.</p>
<table>
${facts.map(([name, value]) => `<tr><th align="left">${name}</th><td>${escapeHtml(value)}</td></tr>`).join('\n')}
</table>
<p><a href="${escapeHtml(link)}">Look at the invitation and accept it</a></p>
<p>${advice}</p>
</body>
</html>
`,
  };
}

/** Without line ends and other controls, so that a name cannot pose as another line of the mail. */
function toLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');
}

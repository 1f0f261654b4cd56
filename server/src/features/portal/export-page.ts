import type { TokenExport } from '../exports/index.ts';
import { type Html, html } from '../../http/html.ts';
import { renderHidden, renderPortalPage } from './portal-page.ts';
import type { Membership, UserSession } from './user.ts';

export interface TenantExports {
  readonly membership: Membership;
  readonly exports: readonly (TokenExport & { readonly tokensNow: number })[];
}

const states: Readonly<Record<TokenExport['status'], string>> = {
  waiting: 'waiting for approval',
  approved: 'approved, not yet run',
  refused: 'refused',
  expired: 'expired',
  started: 'started, not finished',
  finished: 'finished',
};

/** What would be exported, to whom, and who has approved: everything needed to decide. */
export function renderExportsPage(session: UserSession, tenants: readonly TenantExports[]): string {
  const body = html`<p>An export gives the tokens of a tenant to a recipient, who can decrypt them.
Before approving, confirm the recipient through a separate channel and check that you recognise the other approvers.</p>
${tenants.map((tenant) => renderTenant(session, tenant))}
<p><a href="/portal/">Back</a></p>`;
  return renderPortalPage({ title: 'Exports', body });
}

function renderTenant(session: UserSession, { membership, exports }: TenantExports): Html {
  return html`<section>
<h2>${membership.tenantName}</h2>
${exports.length === 0 ? html`<p>There are no exports.</p>` : exports.map((one) => renderExport(session, membership, one))}
</section>`;
}

function renderExport(session: UserSession, { tenantId }: Membership, one: TenantExports['exports'][number]): Html {
  const { id, recipient, filter, approvals, approvalsNeeded } = one;
  const isOpen = one.status === 'waiting' || one.status === 'approved';
  const hasApproved = approvals.some(({ userId }) => userId === session.user.id);
  const given = approvals.map(
    ({ email, userId, approvedAt, memberSince }) =>
      `${email ?? userId} (member since ${memberSince.toISOString()}) at ${approvedAt.toISOString()}`,
  );
  return html`<article>
<h3>Export ${id}</h3>
<ul>
<li>Status: ${states[one.status]}</li>
<li>Tokens: ${describeTokens(one)}${filter.type === null ? '' : `, of type ${filter.type}`}${filter.container === null ? '' : `, in container ${filter.container}`}</li>
<li>Recipient (${recipient.kind}): <code>${recipient.fingerprint}</code></li>
<li>Requested at ${one.requestedAt.toISOString()} from the command line, by ${one.requestedFrom}</li>
<li>Expires at ${one.expiresAt.toISOString()}</li>
<li>Approvals: ${approvals.length} of ${approvalsNeeded}${given.length === 0 ? '' : `: ${given.join(', ')}`}</li>
</ul>
${isOpen && !hasApproved ? renderForm('approve', 'Approve', { tenant: tenantId, export: id }) : html``}
${isOpen ? renderForm('refuse', 'Refuse', { tenant: tenantId, export: id }) : html``}
</article>`;
}

function describeTokens({ tokens, tokensNow }: TenantExports['exports'][number]): string {
  return tokens === null ? `${tokensNow.toLocaleString('en')} at present` : `${tokens.toLocaleString('en')} exported`;
}

function renderForm(verb: string, label: string, fields: Readonly<Record<string, string>>): Html {
  return html`<form method="post" action="/portal/exports/${verb}">
${renderHidden(fields)}
<button>${label}</button>
</form>`;
}

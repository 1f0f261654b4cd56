import type { TokenExport } from '../../exports/index.ts';
import { type Html, html } from '../../../http/pages/html.ts';
import { renderFramedPage } from '../frame/framed-page.ts';
import { renderHidden, renderTime } from '../frame/portal-page.ts';
import type { Membership, UserSession } from '../people/user.ts';

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

/** Renders everything that is needed to decide: what would be exported, to whom, and who has approved. */
export function renderExportsPage(
  session: UserSession,
  tenants: readonly TenantExports[],
  documentationUrl: string | undefined,
): string {
  const docs = { url: documentationUrl, page: 'operate/moving-data', about: 'Moving data' };
  const body = html`<p>An export gives the tokens of a tenant to a recipient, who can decrypt them.
Before approving, confirm the recipient through a separate channel and check that you recognise the other approvers.</p>
${tenants.length === 0 ? html`<p>Owners and admins of a tenant see its exports and approve them.</p>` : tenants.map((tenant) => renderTenant(session, tenant))}`;
  return renderFramedPage({ session, path: '/portal/exports', title: 'Exports', body, docs });
}

function renderTenant(session: UserSession, { membership, exports }: TenantExports): Html {
  return html`<section>
<h2>${membership.tenantName}</h2>
${exports.length === 0 ? html`<p>There are no exports. An operator requests one at the command line, with <code>strongroom export request</code>.</p>` : exports.map((one) => renderExport(session, membership, one))}
</section>`;
}

function renderExport(session: UserSession, { tenantId }: Membership, one: TenantExports['exports'][number]): Html {
  const { id, recipient, filter, approvals, approvalsNeeded } = one;
  const isOpen = one.status === 'waiting' || one.status === 'approved';
  const hasApproved = approvals.some(({ userId }) => userId === session.user.id);
  const fields = { tenant: tenantId, export: id };
  const given = approvals.map(
    ({ email, userId, approvedAt, memberSince }) =>
      html`<br>${email ?? userId} (member since ${memberSince.toISOString()}) at ${renderTime(approvedAt)}`,
  );
  return html`<article>
<h3>Export <code>${id}</code></h3>
<dl class="facts">
<dt>Status</dt><dd>${states[one.status]}</dd>
<dt>Tokens</dt><dd>${describeTokens(one)}${filter.type === null ? '' : `, of type ${filter.type}`}${filter.container === null ? '' : `, in container ${filter.container}`}</dd>
<dt>Recipient (${recipient.kind})</dt><dd><code>${recipient.fingerprint}</code></dd>
<dt>Requested</dt><dd>${renderTime(one.requestedAt)} from the command line, by ${one.requestedFrom}</dd>
<dt>Expires</dt><dd>${renderTime(one.expiresAt)}</dd>
<dt>Approvals</dt><dd>${approvals.length} of ${approvalsNeeded}${given}</dd>
</dl>
<div class="actions">
${isOpen && !hasApproved ? renderForm({ verb: 'approve', label: 'Approve', style: 'main' }, fields) : html``}
${isOpen ? renderForm({ verb: 'refuse', label: 'Refuse', style: 'warns' }, fields) : html``}
</div>
</article>`;
}

function describeTokens({ tokens, tokensNow }: TenantExports['exports'][number]): string {
  return tokens === null ? `${tokensNow.toLocaleString('en')} at present` : `${tokens.toLocaleString('en')} exported`;
}

function renderForm(
  { verb, label, style }: { readonly verb: string; readonly label: string; readonly style: string },
  fields: Readonly<Record<string, string>>,
): Html {
  return html`<form method="post" action="/portal/exports/${verb}">
${renderHidden(fields)}
<button class="${style}">${label}</button>
</form>`;
}

import { type Html, html } from '../../../http/pages/html.ts';
import { mapInTurns } from '../../../platform/waiting/turns.ts';
import { type ListedRequest, operatorId, type RequestPage } from '../../approvals/index.ts';
import { renderFramedPage } from '../frame/framed-page.ts';
import { renderHidden, renderTime } from '../frame/portal-page.ts';
import type { Membership, UserSession } from '../people/user.ts';

export interface TenantApprovals extends RequestPage {
  readonly membership: Membership;
}

const states: Readonly<Record<ListedRequest['status'], string>> = {
  pending: 'waiting for approval',
  approved: 'approved and in force',
  refused: 'refused',
  expired: 'expired',
  stale: 'approved too late: something had changed',
};

/** Renders everything that is needed to decide: who would gain access to what, and who requested it. */
export async function renderApprovalsPage(
  session: UserSession,
  tenants: readonly TenantApprovals[],
  { page, documentationUrl }: { readonly page: number; readonly documentationUrl: string | undefined },
): Promise<string> {
  const docs = { url: documentationUrl, page: 'guides/approve-plaintext', about: 'Approvals' };
  const sections: Html[] = [];
  for (const tenant of tenants) sections.push(await renderTenant(session, tenant, page));
  const body = html`<p>These changes would widen access to plaintext, or remove data for good. None is in force before it is approved.
Before approving, ask the requester through a separate channel whether they want this, and why.</p>
${tenants.length === 0 ? html`<p>Owners and admins of a tenant see its requests and approve them.</p>` : sections}
${page > 1 ? html`<p><a href="/portal/approvals?page=${page - 1}">Previous requests</a></p>` : html``}
${tenants.some(({ hasMore }) => hasMore) ? html`<p><a href="/portal/approvals?page=${page + 1}">More requests</a></p>` : html``}`;
  return renderFramedPage({ session, path: '/portal/approvals', title: 'Approvals', body, docs });
}

/** Renders requests one at a time and yields to other work in between, because each can have hundreds of lines. */
async function renderTenant(
  session: UserSession,
  { membership, requests }: TenantApprovals,
  page: number,
): Promise<Html> {
  const none =
    page > 1
      ? html`<p>There are no further requests.</p>`
      : html`<p>Nothing waits for approval. A tenant demands approvals with the setting <code>approve_plaintext</code>.</p>`;
  const articles = await mapInTurns(requests, (one) => renderRequest(session, membership, one));
  return html`<section>
<h2>${membership.tenantName}</h2>
${articles.length === 0 ? none : articles}
</section>`;
}

function renderRequest(session: UserSession, { tenantId }: Membership, one: ListedRequest): Html {
  const { description, approvals, approvalsNeeded } = one;
  const isOpen = one.status === 'pending';
  const isOwn = one.requestedBy === session.user.id;
  const hasApproved = approvals.some(({ userId }) => userId === session.user.id);
  const fields = { tenant: tenantId, request: one.id };
  const given = approvals.map(
    ({ email, userId, approvedAt }) => html`<br>${email ?? userId} at ${renderTime(approvedAt)}`,
  );
  return html`<article>
<h3>${description.title}</h3>
${isOpen ? html`<ul>${description.sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>` : html``}
<dl class="facts">
<dt>Status</dt><dd>${states[one.status]}</dd>
<dt>Requested</dt><dd>${renderTime(one.requestedAt)} by ${describeRequester(one, isOwn)}</dd>
${isOpen ? html`<dt>Expires</dt><dd>${renderTime(one.expiresAt)}</dd>` : html``}
<dt>Approvals</dt><dd>${approvals.length} of ${approvalsNeeded}${given}</dd>
${isOpen ? html`<dt>Exactly</dt><dd>${description.changes.map((change) => html`<code>${change}</code><br>`)}</dd>` : html``}
</dl>
<div class="actions">
${isOpen && !isOwn && !hasApproved ? renderForm({ verb: 'approve', label: 'Approve', style: 'main' }, fields) : html``}
${isOpen ? renderForm({ verb: 'refuse', label: isOwn ? 'Withdraw' : 'Refuse', style: 'warns' }, fields) : html``}
</div>
</article>`;
}

function describeRequester({ requesterName, requestedBy, requestedKey }: ListedRequest, isOwn: boolean): string {
  const name = requestedBy === operatorId ? 'the operator, on the command line' : (requesterName ?? requestedBy);
  if (requestedKey !== null) return `the application “${name}”, with key ${requestedKey}`;
  return isOwn ? `you (${name}): another owner or admin has to approve it` : name;
}

function renderForm(
  { verb, label, style }: { readonly verb: string; readonly label: string; readonly style: string },
  fields: Readonly<Record<string, string>>,
): Html {
  return html`<form method="post" action="/portal/approvals/${verb}">
${renderHidden(fields)}
<button class="${style}">${label}</button>
</form>`;
}

import { type Html, html } from '../../../http/pages/html.ts';
import { renderHidden, renderTime } from '../frame/portal-page.ts';
import type { OwnSession } from '../people/own-session-store.ts';

export const endSessionPath = '/portal/account/sessions/end';
export const endAllSessionsPath = '/portal/account/sessions/end-all';

/** Renders where the user is signed in, with buttons to sign out there. */
export function renderOwnSessions(sessions: readonly OwnSession[], ownId: string): Html {
  return html`<section>
<h2>Where you are signed in</h2>
<ul class="rows">
${sessions.map((one) => renderOwnSession(one, one.id === ownId))}
</ul>
<form method="post" action="${endAllSessionsPath}">
<button class="warns">Sign out everywhere</button>
</form>
<p class="note">If you do not recognize one of these, sign out everywhere and change how you sign in. A sign-in link that has not been used stops working, too.</p>
</section>`;
}

function renderOwnSession(session: OwnSession, isThis: boolean): Html {
  const { id, browser, sourceAddress, startedAt, lastSeenAt, isByLink } = session;
  const name = browser ?? 'Unknown browser';
  const end = html`<form method="post" action="${endSessionPath}">
${renderHidden({ id })}
<button aria-label="Sign out: ${name}, ${sourceAddress ?? 'unknown address'}">Sign out</button>
</form>`;
  return html`<li><div><span>${name}${isThis ? ', this browser' : ''}</span> <span class="note">${sourceAddress ?? 'unknown address'}, since ${renderTime(startedAt)}${isByLink ? ', with a link' : ''}, last used ${renderTime(lastSeenAt)}</span></div>
<div class="actions">${isThis ? html`` : end}</div></li>`;
}

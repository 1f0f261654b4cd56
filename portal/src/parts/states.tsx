import type { ReactNode } from 'react';
import { Problem } from '../api/problem';

export function Loading({ what }: { readonly what: string }) {
  return (
    <p className="loading" role="status">
      Loading {what} …
    </p>
  );
}

/** Shows that there is nothing yet, and what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Shows an error, with the trace id that lets an operator find it. */
export function Failure({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const traceId = error instanceof Problem ? error.traceId : undefined;
  return (
    <div className="failure" role="alert">
      <p>{error.message}</p>
      {error instanceof Problem && error.kind === 'sign-in-too-old' ? <SignInAgain /> : null}
      {error instanceof Problem && error.kind === 'sign-in-way-required' ? (
        <a href="/portal/account">Your account</a>
      ) : null}
      {traceId === undefined ? null : (
        <p className="note">
          Trace id <code>{traceId}</code>
        </p>
      )}
      {retry === undefined ? null : (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Ends the session. The user is sent to the sign-in page, and returns to this page after signing in. */
export function SignInAgain() {
  return (
    <form method="post" action="/portal/sign-out">
      <input type="hidden" name="next" value={location.pathname + location.search} />
      <button>Sign in again</button>
    </form>
  );
}

import { CircleX, Lock, RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Problem } from '../../api/problem';
import { Button } from '../controls/button';
import { CopiedId } from '../controls/copied-id';
import { Icon, type Shape } from '../icon';
import { Glyph } from '../show/glyph';
import type { Tone } from '../show/tag';

/** Shows that there is nothing: nothing yet and how to begin, or nothing found and where it could be instead. */
export function Empty(empty: {
  readonly icon?: Shape;
  readonly tone?: Tone;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}) {
  return (
    <div className="empty">
      {empty.icon === undefined ? null : <Glyph of={empty.icon} tone={empty.tone ?? 'neutral'} isLarge />}
      <h2>{empty.title}</h2>
      {empty.children}
      {empty.actions === undefined ? null : <div className="actions">{empty.actions}</div>}
    </div>
  );
}

/** Replaces a page that the user's role may not see. It says which role may, and who can give it. */
export function NotForRole({ what, roles }: { readonly what: string; readonly roles: string }) {
  return (
    <Empty icon={Lock} title={`Only ${roles} see ${what}`}>
      <p>An owner or an admin of the tenant can give you another role, under Members.</p>
    </Empty>
  );
}

/** Shows why a request failed, in the words of the vault, with the trace id that lets an operator find it. */
export function Failure({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const problem = error instanceof Problem ? error : undefined;
  return (
    <div className="banner bad" role="alert">
      <Icon of={CircleX} />
      <div className="failure">
        <p>{error.message}</p>
        <FieldReasons fields={problem?.fields ?? {}} />
        {problem?.kind === 'sign-in-too-old' ? <SignInAgain /> : null}
        {problem?.kind === 'sign-in-way-required' ? <a href="/portal/account">Your account</a> : null}
        {retry === undefined && problem?.traceId === undefined ? null : (
          <div className="actions">
            {retry === undefined ? null : (
              <Button isSmall icon={RefreshCw} onClick={retry}>
                Try again
              </Button>
            )}
            {problem?.traceId === undefined ? null : (
              <span className="small">
                Trace id <CopiedId id={problem.traceId} />
              </span>
            )}
          </div>
        )}
      </div>
    </div>
  );
}

/** Shows the reasons that the vault gave for single fields. Without them, nobody knows what to correct. */
function FieldReasons({ fields }: { readonly fields: Problem['fields'] }) {
  const reasons = Object.entries(fields).flatMap(([field, messages]) =>
    messages.map((message) => ({ field, message })),
  );
  if (reasons.length === 0) return null;
  return (
    <ul>
      {reasons.map(({ field, message }) => (
        <li key={`${field} ${message}`}>
          <code>{field}</code> {message}
        </li>
      ))}
    </ul>
  );
}

/** Ends the session. The user is sent to the sign-in page, and returns to this page after signing in. */
export function SignInAgain() {
  return (
    <form method="post" action="/portal/sign-out">
      <input type="hidden" name="next" value={location.pathname + location.search} />
      <Button type="submit" isSmall>
        Sign in again
      </Button>
    </form>
  );
}

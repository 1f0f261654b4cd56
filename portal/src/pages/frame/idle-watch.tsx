import { useEffect, useRef, useState } from 'react';
import { idleSeconds } from '../../api/activity';
import { loadMe } from '../../api/me';

/** The vault ends a session after 15 minutes, of which it may miss one. */
const endsAfter = 14 * 60;
/** When somebody at the page is told, in time to do something about it. */
const warnsAfter = 12 * 60;
/** Somebody who types for a while sends no requests; the vault is told in between that they are there. */
const tellsEvery = 60;
const lookEveryMs = 5_000;

/** Ends an idle session, and says so before. Touching the page is enough to stay signed in. */
export function IdleWatch() {
  const [left, setLeft] = useState<number>();
  const form = useRef<HTMLFormElement>(null);
  const toldAt = useRef(Date.now());
  useEffect(() => {
    const look = () => {
      const idle = idleSeconds();
      setLeft(idle < warnsAfter ? undefined : Math.max(0, endsAfter - idle));
      if (idle >= endsAfter) {
        clearInterval(timer);
        form.current?.requestSubmit();
      } else if (idle < tellsEvery && Date.now() - toldAt.current >= tellsEvery * 1_000) {
        toldAt.current = Date.now();
        // If it fails, the next request of the page shows why.
        void loadMe().catch(() => undefined);
      }
    };
    const timer = setInterval(look, lookEveryMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <form ref={form} method="post" action="/portal/sign-out" hidden>
        <input type="hidden" name="next" value={location.pathname + location.search} />
      </form>
      {left === undefined ? null : (
        <div className="idle-warning" role="alert">
          <p>
            You have not used the portal for a while and will be signed out in{' '}
            {left < 60 ? 'less than a minute' : 'two minutes'}.
          </p>
          <button type="button" onClick={() => setLeft(undefined)}>
            Stay signed in
          </button>
        </div>
      )}
    </>
  );
}

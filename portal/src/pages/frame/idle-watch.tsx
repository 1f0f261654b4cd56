import { useEffect, useRef, useState } from 'react';
import { idleSeconds } from '../../api/activity';
import { loadMe } from '../../api/me';
import { Button } from '../../parts/controls/button';

/** Seconds. The vault ends an idle session after 15 minutes, and may learn of activity up to a minute late. */
const endsAfter = 14 * 60;
/** Seconds. The warning leaves the user enough time to react. */
const warnsAfter = 12 * 60;
/** Seconds. Typing sends no requests, so the portal regularly tells the vault that the user is active. */
const tellsEvery = 60;
const lookEveryMs = 5_000;

/** Ends an idle session after a warning. Any interaction with the page keeps the user signed in. */
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
        // If this fails, the next request of the page shows the error.
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
        <div className="notice" role="alert">
          <p>
            You have not used the portal for a while and will be signed out in{' '}
            {left < 60 ? 'less than a minute' : 'two minutes'}.
          </p>
          <Button isSmall onClick={() => setLeft(undefined)}>
            Stay signed in
          </Button>
        </div>
      )}
    </>
  );
}

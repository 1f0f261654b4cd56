import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { loadMe } from '../../api/me';
import { onReach, wasReached } from '../../api/unreachable';
import { Button } from '../../parts/controls/button';

const triesEveryMs = 10_000;

/** Says that the vault cannot be reached, for as long as that is so. The page keeps what it shows. */
export function NetworkWatch() {
  const isReached = useSyncExternalStore(onReach, wasReached);
  const queries = useQueryClient();
  useEffect(() => {
    if (isReached) return undefined;
    // If it fails again, the notice stays.
    const attempt = () => void loadMe().catch(() => undefined);
    const timer = setInterval(attempt, triesEveryMs);
    addEventListener('online', attempt);
    return () => {
      clearInterval(timer);
      removeEventListener('online', attempt);
      void queries.refetchQueries({ type: 'active' });
    };
  }, [isReached, queries]);
  if (isReached) return null;
  return (
    <div className="notice" role="alert">
      <p>The vault cannot be reached. What you see may be old, and nothing is saved until the connection is back.</p>
      <Button isSmall onClick={() => void loadMe().catch(() => undefined)}>
        Try again
      </Button>
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Application } from '../../../api/applications';
import { isSameRights, type Rights } from '../../../parts/access/rights';
import { type Difference, findDifference } from './difference';

/** The time without an edit after which the vault is asked, in milliseconds. */
const pauseMs = 400;

export interface LookedDifference {
  /** The effects of exactly the edit that is on the page. Undefined until the vault has reported them. */
  readonly seen: Difference | undefined;
  readonly error: Error | null;
  readonly isLooking: boolean;
  readonly tokens: readonly string[];
  readonly setTokens: (tokens: readonly string[]) => void;
}

/** Asks the vault what an edit of rights changes, a moment after each edit. */
export function useDifference(
  application: Application,
  { before, after }: { readonly before: Rights; readonly after: Rights },
): LookedDifference {
  const [settled, setSettled] = useState(after);
  const [tokens, setTokens] = useState<readonly string[]>([]);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(after), pauseMs);
    return () => clearTimeout(timer);
  }, [after]);
  const isAsked = !isSameRights(before, settled);
  const found = useQuery({
    queryKey: ['difference', application.id, application.modified_at, settled, tokens],
    queryFn: () => findDifference(application, { before, after: settled, tokens }),
    enabled: isAsked,
    retry: false,
    gcTime: 0,
  });
  const isSettled = isSameRights(settled, after);
  return {
    seen: isSettled && isAsked ? found.data : undefined,
    error: isSettled && isAsked ? found.error : null,
    isLooking: !isSettled || (isAsked && found.isFetching),
    tokens,
    setTokens,
  };
}

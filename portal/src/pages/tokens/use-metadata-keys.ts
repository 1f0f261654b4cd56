import { useQuery } from '@tanstack/react-query';
import { useMember } from '../../api/me';
import { loadTokens } from './token-query';

/** More keys than this would make a search with too many terms. */
const keysMax = 12;

/**
 * Returns the metadata keys of the newest tokens, most frequent first. The vault stores metadata so that it can only be
 * found by key and value together.
 */
export function useMetadataKeys({ isNeeded }: { readonly isNeeded: boolean }) {
  const { tenant } = useMember();
  const { data, isFetched } = useQuery({
    queryKey: ['metadata-keys', tenant.id],
    queryFn: async () => {
      const counts = new Map<string, number>();
      for (const { metadata } of (await loadTokens({})).data)
        for (const key of Object.keys(metadata ?? {})) counts.set(key, (counts.get(key) ?? 0) + 1);
      return [...counts].toSorted(([, a], [, b]) => b - a).map(([key]) => key);
    },
    staleTime: 60_000,
    enabled: isNeeded,
  });
  return { data: (data ?? []).slice(0, keysMax), isReady: !isNeeded || isFetched };
}

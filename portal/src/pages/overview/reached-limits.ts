import { queryOptions } from '@tanstack/react-query';
import { fetchPortal } from '../../api/client';

/** A client that reached a rate limit. Only the portal uses this, so it is not in the API description. */
export interface ReachedLimit {
  readonly scope: string;
  /** An address, or the network of an IPv6 address. */
  readonly client: string;
  readonly limit: number;
  readonly seconds: number;
  readonly rejections: number;
  readonly last_at: string;
  /** Which setting raises the limit. */
  readonly advice: string;
}

/** Loads which clients that the tenant knows reached a limit of this server within the last 15 minutes. */
export const reachedLimitsQuery = queryOptions({
  queryKey: ['reached-limits'],
  queryFn: async () => {
    const response = await fetchPortal('/reached-limits');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The vault that serves this page sent it.
    return ((await response.json()) as { readonly data: readonly ReachedLimit[] }).data;
  },
});

import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './client';

/** Loads the number of tokens by type. */
export const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: () => unwrap(api.GET('/tenants/self/reports/usage')),
});

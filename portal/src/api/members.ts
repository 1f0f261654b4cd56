import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './client';

/** The largest page that the API returns. */
export const membersShown = 50;

/** Loads the newest members of the tenant. */
export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: () => unwrap(api.GET('/tenants/self/members', { params: { query: { size: membersShown } } })),
});

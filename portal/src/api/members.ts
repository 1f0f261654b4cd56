import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './client';

/** As many as the API lists at once. */
export const membersShown = 50;

/** The newest members of the tenant. */
export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: () => unwrap(api.GET('/tenants/self/members', { params: { query: { size: membersShown } } })),
});

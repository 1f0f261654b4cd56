import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './client';

/** Loads a token. Its data is masked for every member. */
export function tokenQuery(id: string) {
  return queryOptions({
    queryKey: ['token', id],
    queryFn: () => unwrap(api.GET('/tokens/{id}', { params: { path: { id } } })),
  });
}

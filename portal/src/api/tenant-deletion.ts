import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, fetchPortal, unwrap } from './client';

/** Deletes the tenant of the page, or removes it at once if its name is given. */
export function useTenantDeletion() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (name: string | undefined) =>
      unwrap(api.DELETE('/tenants/self', { params: { query: name === undefined ? {} : { name } } })),
    onSuccess: (_, name) => {
      if (name === undefined) return queries.invalidateQueries({ queryKey: ['me'] });
      // Its members are signed out with it, and what is shown of it is gone.
      location.assign('/portal/');
      return undefined;
    },
  });
}

export function useTenantRestoration() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => fetchPortal('/tenants/self/restore', 'POST'),
    onSuccess: () => queries.invalidateQueries(),
  });
}

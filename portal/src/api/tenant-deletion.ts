import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, fetchPortal, unwrap } from './client';

/** Deletes the current tenant, or removes it immediately if its name is given. */
export function useTenantDeletion() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (name: string | undefined) =>
      unwrap(api.DELETE('/tenants/self', { params: { query: name === undefined ? {} : { name } } })),
    onSuccess: (_, name) => {
      if (name === undefined) return queries.invalidateQueries({ queryKey: ['me'] });
      // Removing a tenant signs its members out, and its data can no longer be shown.
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

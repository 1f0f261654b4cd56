import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, fetchPortal, unwrap } from './client';

/** Deletes the current tenant. It can be restored for seven days. */
export function useTenantDeletion() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.DELETE('/tenants/self', { params: { query: {} } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['me'] }),
  });
}

/** Removes the current tenant for good. The vault demands its name. */
export function useTenantRemoval(name: string) {
  return useMutation({
    mutationFn: () => unwrap(api.DELETE('/tenants/self', { params: { query: { name } } })),
    // Removing a tenant signs its members out, and its data can no longer be shown.
    onSuccess: () => location.assign('/portal/'),
  });
}

export function useTenantRestoration() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => fetchPortal('/tenants/self/restore', 'POST'),
    onSuccess: () => queries.invalidateQueries(),
  });
}

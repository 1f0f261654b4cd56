import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Application } from '../../../api/applications';
import { api, type Schemas, unwrap } from '../../../api/client';

/**
 * A key with the time of its last use, which is null if the key was never used. The field is absent if the vault does
 * not record the use of keys.
 */
export type UsedKey = Schemas['ApplicationKey'] & { readonly last_used_at?: string | null };

/** Milliseconds between two checks of whether the old key is still in use. */
const watchPause = 10_000;

/** Loads the keys of an application, newest first. While one is being replaced, they are reloaded regularly. */
export function useKeys(application: Application, isWatched: boolean) {
  const { id } = application;
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ['application', id, 'keys'],
    queryFn: (): Promise<UsedKey[]> => unwrap(api.GET('/applications/{id}/keys', { params: { path: { id } } })),
    placeholderData: application.keys,
    refetchInterval: isWatched ? watchPause : false,
  });
  const keys = (data ?? application.keys).toSorted((a, b) => b.created_at.localeCompare(a.created_at));
  const refresh = async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['application', id] }),
      queries.invalidateQueries({ queryKey: ['applications'] }),
    ]);
  };
  return { keys, refresh };
}

export function createKey(applicationId: string): Promise<UsedKey> {
  return unwrap(api.POST('/applications/{id}/keys', { params: { path: { id: applicationId } } }));
}

export async function revokeKey(applicationId: string, keyId: string): Promise<void> {
  await unwrap(api.DELETE('/applications/{id}/keys/{keyId}', { params: { path: { id: applicationId, keyId } } }));
}

import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from './client';

/** Loads how much of the tenant's log is sealed, and the keys that verify it. */
export const sealQuery = queryOptions({
  queryKey: ['log-seal'],
  queryFn: () => unwrap(api.GET('/logs/seal')),
});

export function newestKey({ public_keys: keys }: Schemas['LogSeal']): Schemas['AuditKey'] | undefined {
  return keys.toSorted((a, b) => b.version - a.version)[0];
}

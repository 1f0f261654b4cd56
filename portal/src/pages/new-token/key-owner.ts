import { Problem } from '../../api/problem';
import { reach } from '../../api/unreachable';

/**
 * Returns why a key cannot store cards for a tenant, or undefined if it can. The vault is asked with the key itself: the
 * page would show the fields for the key of any tenant, and the card would be stored there.
 */
export async function refuseKey(key: string, tenantId: string): Promise<string | undefined> {
  const response = await reach(fetch('/applications/key', { headers: { 'bt-api-key': key } }));
  const body: unknown = await response.json().catch(() => undefined);
  if (response.status === 401) return 'The vault knows no such key.';
  if (!response.ok) throw new Problem(response.status, body);
  const isOwn = typeof body === 'object' && body !== null && 'tenant_id' in body && body.tenant_id === tenantId;
  return isOwn ? undefined : 'This key belongs to another tenant, which would get the card. Use a key of this one.';
}

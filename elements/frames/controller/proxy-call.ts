import type { ServiceCall } from '../../protocol/messages.ts';
import { callVault, type VaultRequest, type VaultResponse } from './vault-api.ts';

/** Headers that the page must not set. */
const ownHeaders = new Set(['bt-api-key', 'content-type', 'bt-idempotency-key', 'bt-trace-id']);

export function callProxy(
  { service, payload, proxy = {} }: ServiceCall,
  credentials: Pick<VaultRequest, 'key' | 'headers'>,
): Promise<VaultResponse> {
  const method = service.slice('proxy.'.length).toUpperCase();
  const { path = '', query = {}, headers = {} } = proxy;
  const given = Object.entries(headers).filter(([name]) => !ownHeaders.has(name.toLowerCase()));
  const search = new URLSearchParams(query).toString();
  return callVault({
    method,
    path: `/proxy${toPath(path)}${search === '' ? '' : `?${search}`}`,
    key: credentials.key,
    headers: { ...Object.fromEntries(given), ...credentials.headers },
    ...(payload === undefined ? {} : { body: payload }),
  });
}

function toPath(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
}

import type { ProxyVault } from './proxy-vault.ts';
import { createApplication } from './test-application.ts';
import type { TestResponse } from './test-vault.ts';

export interface MadeProxy {
  readonly id: string;
  readonly key: string;
}

/** A transform that replaces the number of a card with a token. */
export const tokenizeNumber = (location = '$.card.number') => ({
  type: 'tokenize',
  options: { location, token: { type: 'card_number', data: '{{ value }}' } },
});

/** Asks for a stored proxy that calls the destination of the vault. */
export function askForProxy(
  proxy: ProxyVault,
  settings: Readonly<Record<string, unknown>> = {},
  key = proxy.tenant.keys.management,
): Promise<TestResponse> {
  const body = { name: 'Partner', destination_url: `${proxy.url}/base`, ...settings };
  return proxy.vault.request('POST', '/proxies', { key, body });
}

export async function makeProxy(
  proxy: ProxyVault,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<MadeProxy> {
  const answer = await askForProxy(proxy, settings);
  if (answer.status !== 201) throw new Error(`No proxy was made: ${answer.text}`);
  return answer.body as MadeProxy;
}

export interface StoredCall {
  /** No API key if undefined. */
  readonly key?: string | undefined;
  readonly method?: string;
  readonly path?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export function callStored(proxy: ProxyVault, proxyKey: string, call: StoredCall = {}): Promise<TestResponse> {
  const { key, method, path = '', body, headers } = call;
  return proxy.vault.request(method ?? (body === undefined ? 'GET' : 'POST'), `/proxy${path}`, {
    ...(key === undefined ? {} : { key }),
    ...(body === undefined ? {} : { rawBody: body }),
    headers: { 'bt-proxy-key': proxyKey, 'content-type': 'application/json', ...headers },
  });
}

/** Makes a proxy that needs no API key, with the rights of a new application. */
export async function makeKeylessProxy(
  proxy: ProxyVault,
  settings: Readonly<Record<string, unknown>> = {},
  permissions: readonly string[] = ['token:create'],
): Promise<MadeProxy & { readonly applicationId: string }> {
  const { id: applicationId } = await createApplication(proxy.vault, proxy.tenant, { permissions });
  const application = { id: applicationId };
  return { ...(await makeProxy(proxy, { require_auth: false, application, ...settings })), applicationId };
}

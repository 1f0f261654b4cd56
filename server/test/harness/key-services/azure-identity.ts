import { randomBytes } from 'node:crypto';
import type { SeenRequest } from '../tls-destination.ts';
import type { EndpointAnswer } from './key-service-endpoint.ts';

/** An imitation of Microsoft Entra and of the metadata service of virtual machines, written from their documentation. */
export class AzureIdentity {
  readonly tenantId = 'c0ffee00-0000-4000-8000-00000000a2e1';
  readonly clientId = 'c0ffee00-0000-4000-8000-00000000c11e';
  readonly clientSecret = randomBytes(24).toString('base64url');
  /** The token of a Kubernetes service account that the application trusts. */
  readonly federatedToken = randomBytes(24).toString('base64url');
  readonly accessToken = randomBytes(24).toString('base64url');
  /** The ways in which callers have signed in. */
  readonly seen: string[] = [];

  answer({ head, body }: SeenRequest): EndpointAnswer {
    const target = head.split(' ')[1] ?? '';
    if (target.includes('/discovery/instance')) return this.#discovery();
    if (target.includes('/.well-known/openid-configuration')) return this.#configuration();
    const form = new URLSearchParams(body.toString('utf8'));
    const way = this.#wayOf(form);
    if (!target.includes('/oauth2/v2.0/token') || way === undefined) {
      const error = { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret provided.' };
      return { status: 401, body: error };
    }
    this.seen.push(way);
    return { status: 200, body: { token_type: 'Bearer', expires_in: 3_599, access_token: this.accessToken } };
  }

  /** Returns the token of a managed identity, as the metadata service does. */
  managedToken(): object {
    this.seen.push('managed identity');
    const expiresOn = String(Math.floor(Date.now() / 1_000) + 3_599);
    return {
      access_token: this.accessToken,
      expires_on: expiresOn,
      resource: 'https://vault.azure.net',
      token_type: 'Bearer',
    };
  }

  #wayOf(form: URLSearchParams): string | undefined {
    if (form.get('client_id') !== this.clientId || form.get('scope')?.startsWith('https://vault.azure.net/') !== true)
      return;
    if (form.get('client_secret') === this.clientSecret) return 'client secret';
    return form.get('client_assertion') === this.federatedToken ? 'workload identity' : undefined;
  }

  #discovery(): EndpointAnswer {
    const names = { preferred_network: 'login.microsoftonline.com', preferred_cache: 'login.windows.net' };
    const metadata = [{ ...names, aliases: ['login.microsoftonline.com', 'login.windows.net'] }];
    const endpoint = `${this.#authority}/v2.0/.well-known/openid-configuration`;
    return { status: 200, body: { tenant_discovery_endpoint: endpoint, 'api-version': '1.1', metadata } };
  }

  #configuration(): EndpointAnswer {
    const base = `${this.#authority}/oauth2/v2.0`;
    const endpoints = { token_endpoint: `${base}/token`, authorization_endpoint: `${base}/authorize` };
    return { status: 200, body: { ...endpoints, issuer: `${this.#authority}/v2.0`, jwks_uri: `${base}/keys` } };
  }

  get #authority(): string {
    return `https://login.microsoftonline.com/${this.tenantId}`;
  }
}

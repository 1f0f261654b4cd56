import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { TenantId } from '../../core/identity/ids.ts';
import type { OutboundConfig } from './outbound-config.ts';

/**
 * TLS contexts, created once: loading all certificate authorities takes longer than a handshake. The list is
 * explicit, because the default depends on the environment (`NODE_EXTRA_CA_CERTS`).
 */
export class SecureContexts {
  readonly #usual: SecureContext;
  readonly #byTenantAndHost: ReadonlyMap<string, SecureContext>;

  constructor(config: Pick<OutboundConfig, 'authorities' | 'clientCertificates'>) {
    const ca = [...rootCertificates, ...(config.authorities === undefined ? [] : [config.authorities])];
    const shared = { ca, minVersion: 'TLSv1.2' } as const;
    this.#usual = createSecureContext(shared);
    this.#byTenantAndHost = new Map(
      config.clientCertificates.map(({ tenantId, host, pem }) => [
        keyOf(tenantId, host),
        createSecureContext({ ...shared, cert: pem.reveal(), key: pem.reveal() }),
      ]),
    );
  }

  /** A client certificate identifies the tenant: no other tenant may use it. */
  of(tenantId: TenantId, host: string): SecureContext {
    return this.#byTenantAndHost.get(keyOf(tenantId, host)) ?? this.#usual;
  }
}

function keyOf(tenantId: TenantId, host: string): string {
  return `${tenantId}@${host}`;
}

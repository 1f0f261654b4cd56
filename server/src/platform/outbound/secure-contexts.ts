import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { TenantId } from '../../core/identity/ids.ts';
import { type Destination, isSame } from './destination-url.ts';
import type { OutboundConfig } from './outbound-config.ts';

const minVersion = 'TLSv1.2';

/**
 * The TLS contexts. They are created once, because loading all certificate authorities takes longer than a handshake.
 * The list of authorities is explicit, because the default depends on the environment (`NODE_EXTRA_CA_CERTS`).
 */
export class SecureContexts {
  readonly #usual: SecureContext;
  readonly #byTenantAndHost: ReadonlyMap<string, SecureContext>;
  readonly #own: { readonly destination: Destination; readonly context: SecureContext } | undefined;

  constructor(config: Pick<OutboundConfig, 'authorities' | 'clientCertificates' | 'ownDestination'>) {
    const ca = [...rootCertificates, ...(config.authorities === undefined ? [] : [config.authorities])];
    const shared = { ca, minVersion } as const;
    this.#usual = config.authorities === undefined ? publicContext() : createSecureContext(shared);
    this.#byTenantAndHost = new Map(
      config.clientCertificates.map(({ tenantId, host, pem }) => [
        keyOf(tenantId, host),
        createSecureContext({ ...shared, cert: pem.reveal(), key: pem.reveal() }),
      ]),
    );
    const { ownDestination: own } = config;
    this.#own =
      own === undefined
        ? undefined
        : { destination: own, context: createSecureContext({ ...shared, ca: [own.certificate] }) };
  }

  /** Returns the context for a call. A client certificate identifies its tenant, so no other tenant may use it. */
  of(tenantId: TenantId, destination: Destination): SecureContext {
    if (this.#own !== undefined && isSame(destination, this.#own.destination)) return this.#own.context;
    return this.#byTenantAndHost.get(keyOf(tenantId, destination.host)) ?? this.#usual;
  }
}

/** The context that trusts the public authorities. Servers in one process share it. */
let sharedContext: SecureContext | undefined;
function publicContext(): SecureContext {
  sharedContext ??= createSecureContext({ ca: [...rootCertificates], minVersion });
  return sharedContext;
}

function keyOf(tenantId: TenantId, host: string): string {
  return `${tenantId}@${host}`;
}

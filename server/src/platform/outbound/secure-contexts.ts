import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { OutboundConfig } from './outbound-config.ts';

/**
 * What connections are verified with, made once: reading all the authorities takes longer than a handshake. The list is
 * written out, because the default one follows the environment (`NODE_EXTRA_CA_CERTS`).
 */
export class SecureContexts {
  readonly #usual: SecureContext;
  readonly #byHost: ReadonlyMap<string, SecureContext>;

  constructor(config: Pick<OutboundConfig, 'authorities' | 'clientCertificates'>) {
    const ca = [...rootCertificates, ...(config.authorities === undefined ? [] : [config.authorities])];
    const shared = { ca, minVersion: 'TLSv1.2' } as const;
    this.#usual = createSecureContext(shared);
    this.#byHost = new Map(
      config.clientCertificates.map(({ host, pem }) => [
        host,
        createSecureContext({ ...shared, cert: pem.reveal(), key: pem.reveal() }),
      ]),
    );
  }

  of(host: string): SecureContext {
    return this.#byHost.get(host) ?? this.#usual;
  }
}

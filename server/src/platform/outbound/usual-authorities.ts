import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

/**
 * Returns a TLS context that trusts the certificate authorities that Node.js trusts by default, and another one.
 * Software development kits of clouds need both: they also call services other than the one whose authority is
 * configured, such as to sign in.
 *
 * It is created once for all connections. Node.js would otherwise load hundreds of authorities for each connection,
 * which stops the event loop, and with it every tenant, for a tenth of a second whenever a service makes a client
 * connect again.
 */
export function trustUsualAuthoritiesAnd(authority: string): SecureContext {
  return createSecureContext({ ca: [...getCACertificates('default'), authority] });
}

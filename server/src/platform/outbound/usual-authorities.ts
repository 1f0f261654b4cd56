import { getCACertificates } from 'node:tls';

/**
 * Returns the certificate authorities that Node.js trusts by default, and another one. Software development kits of
 * clouds need both: they also call services other than the one whose authority is configured, such as to sign in.
 */
export function usualAuthoritiesAnd(authority: string): string[] {
  return [...getCACertificates('default'), authority];
}

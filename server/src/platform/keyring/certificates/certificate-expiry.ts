import { X509Certificate } from 'node:crypto';

/**
 * Returns when the first of the certificates in these PEM texts expires, in seconds since 1970. Returns undefined if
 * there is none.
 */
export function findFirstExpiry(texts: readonly string[]): number | undefined {
  const certificates = texts.flatMap((text) => text.match(certificateBlock) ?? []);
  const expiries = certificates.map((pem) => new X509Certificate(pem).validToDate.getTime() / 1_000);
  return expiries.length === 0 ? undefined : Math.min(...expiries);
}

/** Matches only certificates, because the text of a client certificate also contains its key. */
const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

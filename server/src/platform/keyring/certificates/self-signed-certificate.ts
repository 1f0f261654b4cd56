// oxlint-disable-next-line import/no-unassigned-import -- the library below does not load without it.
import 'reflect-metadata';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

export interface SelfSignedCertificate {
  /** Both as PEM. */
  readonly certificate: string;
  readonly privateKey: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 24 * 60 * 60_000;

/**
 * A new key and a certificate for one name that nobody but its own caller trusts. It cannot sign others. For servers
 * on loopback in development: a certificate that came with the program would have a key that everybody knows.
 */
export async function createSelfSignedCertificate(host: string): Promise<SelfSignedCertificate> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const now = Date.now();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys,
    signingAlgorithm: algorithm,
    name: `CN=${host}`,
    notBefore: new Date(now - dayMs),
    notAfter: new Date(now + 365 * dayMs),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([{ type: 'dns', value: host }]),
    ],
  });
  const privateKey = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { certificate: certificate.toString('pem'), privateKey: PemConverter.encode(privateKey, 'PRIVATE KEY') };
}

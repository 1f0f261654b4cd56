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
  /** The certificate and the private key are PEM texts. */
  readonly certificate: string;
  readonly privateKey: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 24 * 60 * 60_000;

/**
 * Creates a key and a certificate for one name. The certificate is trusted only by the caller, and it cannot sign other
 * certificates. It is for loopback servers in development, because the key of a certificate shipped with the program
 * would be public.
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

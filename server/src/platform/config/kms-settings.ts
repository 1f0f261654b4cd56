import { loopbackHosts } from '../../core/network/loopback-hosts.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import type { Setting } from './setting.ts';
import { parseCertificates } from './setting-parsers.ts';

export const awsKey: Setting<string> = {
  variable: 'STRONGROOM_AWS_KMS_KEY',
  expectation: 'the id, ARN or alias of a symmetric key in AWS KMS',
  example: 'alias/strongroom',
  parse: textLike(/^[\w:/-]{1,2048}$/),
};

export const awsRegion: Setting<string> = {
  variable: 'STRONGROOM_AWS_KMS_REGION',
  expectation: 'the AWS region of the key',
  example: 'eu-central-1',
  parse: textLike(/^[a-z]{2,8}(-[a-z]{1,16})+-\d{1,2}$/),
};

export const awsEndpoint: Setting<string> = {
  variable: 'STRONGROOM_AWS_KMS_ENDPOINT',
  expectation: 'the HTTPS address of KMS, if not the public endpoint of the region',
  example: 'https://vpce-0123456789abcdef0.kms.eu-central-1.vpce.amazonaws.com',
  parse: (text) => (parseServiceUrl(text)?.pathname === '/' ? text : undefined),
  otherwise: 'the public endpoint of the region',
};

export const awsAuthority: Setting<string> = {
  variable: 'STRONGROOM_AWS_KMS_CA',
  expectation: 'the CA certificate for that address, as PEM, if not from a public CA',
  example: '"$(cat kms-ca.pem)"',
  parse: parseCertificates,
};

export const awsAccessKeyId: Setting<string> = {
  variable: 'STRONGROOM_AWS_KMS_ACCESS_KEY_ID',
  expectation: 'the id of an access key that may use the key; not needed in a container with a role',
  example: 'AKIA…',
  parse: textLike(/^\w{16,128}$/),
};

export const awsSecretAccessKey: Setting<Sensitive<string>> = {
  variable: 'STRONGROOM_AWS_KMS_SECRET_ACCESS_KEY',
  expectation: 'the secret of that access key',
  example: '"$(cat secret-access-key)"',
  parse: parseHeaderSecret,
};

export const awsSessionToken: Setting<Sensitive<string>> = {
  variable: 'STRONGROOM_AWS_KMS_SESSION_TOKEN',
  expectation: 'the session token, if the access key is temporary',
  example: '"$(cat session-token)"',
  parse: parseHeaderSecret,
};

/** The address that ECS and EKS set in containers that have a role. The variable names are defined by AWS. */
export const containerUrl: Setting<string> = {
  variable: 'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  expectation: 'the URL of the container credentials endpoint, set by AWS',
  example: 'http://169.254.170.23/v1/credentials',
  parse: (text) => (parseServiceUrl(text, containerHosts) === undefined ? undefined : text),
};

export const containerPath: Setting<string> = {
  variable: 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  expectation: 'the path on the container credentials endpoint, set by AWS',
  example: '/v2/credentials/…',
  parse: (text) => (/^\/[\w/-]{1,512}$/.test(text) ? `http://169.254.170.2${text}` : undefined),
};

export const containerTokenFile: Setting<string> = {
  variable: 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE',
  expectation: 'the path of a file with the token for that endpoint',
  example: '/var/run/secrets/pods.eks.amazonaws.com/serviceaccount/eks-pod-identity-token',
  parse: (text) => text,
};

export const transitUrl: Setting<string> = {
  variable: 'STRONGROOM_TRANSIT_URL',
  expectation: 'the HTTPS address of a Vault or OpenBao server; HTTP only on this machine',
  example: 'https://vault.internal:8200',
  parse: (text) => (parseServiceUrl(text) === undefined ? undefined : text),
};

export const transitKey: Setting<string> = {
  variable: 'STRONGROOM_TRANSIT_KEY',
  expectation: 'the name of a key of type aes256-gcm96',
  example: 'strongroom',
  parse: textLike(/^[\w-][\w.-]{0,127}$/),
};

export const transitMount: Setting<string> = {
  variable: 'STRONGROOM_TRANSIT_MOUNT',
  expectation: 'the path at which the Transit engine is mounted',
  example: 'transit',
  parse: textLike(/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/),
  fallback: 'transit',
};

export const transitToken: Setting<Sensitive<string>> = {
  variable: 'STRONGROOM_TRANSIT_TOKEN',
  expectation: 'a token that may use the key; not needed with a local agent that adds its own',
  example: '"$(cat token)"',
  parse: parseHeaderSecret,
};

export const transitNamespace: Setting<string> = {
  variable: 'STRONGROOM_TRANSIT_NAMESPACE',
  expectation: 'the namespace of the Transit engine',
  example: 'payments',
  parse: textLike(/^[\w.-]+(\/[\w.-]+)*\/?$/),
};

export const transitAuthority: Setting<string> = {
  variable: 'STRONGROOM_TRANSIT_CA',
  expectation: 'the CA certificate for that server, as PEM, if not from a public CA',
  example: '"$(cat vault-ca.pem)"',
  parse: parseCertificates,
};

/**
 * Hosts that may be called without encryption: this machine, and the addresses of ECS and EKS, whose traffic never
 * leaves the host.
 */
const containerHosts = [...loopbackHosts, '169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'];

/** Parses the URL of a service. Connections that stay on the machine need no encryption. All others do. */
function parseServiceUrl(text: string, plainHosts: readonly string[] = loopbackHosts): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  return url.protocol === 'https:' || (url.protocol === 'http:' && plainHosts.includes(url.hostname)) ? url : undefined;
}

function textLike(pattern: RegExp): (text: string) => string | undefined {
  return (text) => (pattern.test(text) ? text : undefined);
}

/** Parses a secret that is sent in a header, so it must not contain line breaks or control characters. */
function parseHeaderSecret(text: string): Sensitive<string> | undefined {
  return /^[\x21-\x7e]{1,8192}$/.test(text) ? new Sensitive(text) : undefined;
}

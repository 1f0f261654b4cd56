import type { AwsCredentialsConfig } from '../keyring/kms/aws-credentials.ts';
import type { RootKeyConfig } from '../keyring/kms/open-root-key.ts';
import * as kms from './kms-settings.ts';
import { allOf, always, mapped, optional, type Reading, required } from './reading.ts';
import type { Setting } from './setting.ts';

export type KindOf<Kind> = Extract<RootKeyConfig, { readonly kind: Kind }>;

/**
 * Reads the credentials. The operator's settings take precedence, because the role of a container may be intended for
 * another purpose.
 */
const awsCredentials: Reading<AwsCredentialsConfig> = (source) => {
  const ofContainer = [kms.containerUrl, kms.containerPath].find((setting) => source.has(setting));
  const reading = ofContainer === undefined || source.has(kms.awsAccessKeyId) ? accessKey : roleOf(ofContainer);
  return reading(source);
};

const accessKey = allOf<Extract<AwsCredentialsConfig, { kind: 'static' }>>({
  kind: always('static'),
  accessKeyId: required(kms.awsAccessKeyId),
  secretAccessKey: required(kms.awsSecretAccessKey),
  sessionToken: optional(kms.awsSessionToken),
});

const roleOf = (address: Setting<string>) =>
  allOf<Extract<AwsCredentialsConfig, { kind: 'container' }>>({
    kind: always('container'),
    url: required(address),
    tokenFile: optional(kms.containerTokenFile),
  });

/** A root key in AWS KMS. */
export const awsKms = mapped(
  allOf<Omit<KindOf<'aws-kms'>, 'endpoint'> & { readonly endpoint: string | undefined }>({
    kind: always('aws-kms'),
    region: required(kms.awsRegion),
    key: required(kms.awsKey),
    endpoint: optional(kms.awsEndpoint),
    authority: optional(kms.awsAuthority),
    credentials: awsCredentials,
  }),
  ({ endpoint, ...key }): KindOf<'aws-kms'> => ({
    ...key,
    endpoint: endpoint ?? `https://kms.${key.region}.amazonaws.com`,
  }),
);

/** A root key in Vault or OpenBao. */
export const transit = allOf<KindOf<'transit'>>({
  kind: always('transit'),
  url: required(kms.transitUrl),
  mount: required(kms.transitMount),
  key: required(kms.transitKey),
  token: optional(kms.transitToken),
  namespace: optional(kms.transitNamespace),
  authority: optional(kms.transitAuthority),
});

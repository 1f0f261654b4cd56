import type { AwsAccessKey, AwsKmsOptions } from '../../keyring/kms/aws/aws-kms-client.ts';
import { chosen, companions, group, optional, optionalSetting, setting, settingWithDefault } from '../reading.ts';
import { rootKeyReading } from './root-key-reading.ts';
import {
  isServiceUrl,
  parseBoolean,
  parseCertificates,
  parseHeaderSecret,
  textLike,
  urlWhere,
} from '../setting-parsers.ts';

const accessKeyId = setting('STRONGROOM_AWS_KMS_ACCESS_KEY_ID', textLike(/^\w{16,128}$/), {
  expectation: 'the id of an access key that may use the key, if the SDK should not look for credentials itself',
  example: 'AKIA…',
  secret: 'credential',
});

const accessKey = group<AwsAccessKey>({
  accessKeyId,
  secretAccessKey: setting('STRONGROOM_AWS_KMS_SECRET_ACCESS_KEY', parseHeaderSecret, {
    expectation: 'the secret of that access key',
    example: '"$(cat secret-access-key)"',
    secret: 'credential',
  }),
  sessionToken: optionalSetting('STRONGROOM_AWS_KMS_SESSION_TOKEN', parseHeaderSecret, {
    expectation: 'the session token, if the access key is temporary',
    example: '"$(cat session-token)"',
    secret: 'credential',
  }),
});

const usesFips = settingWithDefault('STRONGROOM_AWS_KMS_FIPS', parseBoolean, false, {
  expectation: 'whether to use the FIPS endpoint of the region',
});
const endpoint = setting('STRONGROOM_AWS_KMS_ENDPOINT', urlWhere(isEndpoint), {
  expectation: 'the HTTPS address of KMS, if not the public endpoint of the region',
  example: 'https://vpce-0123456789abcdef0.kms.eu-central-1.vpce.amazonaws.com',
  otherwise: 'the public endpoint of the region',
});

/** A root key in AWS KMS. */
export const awsKmsKey = rootKeyReading(
  'aws-kms',
  group<AwsKmsOptions>({
    key: setting('STRONGROOM_AWS_KMS_KEY', textLike(/^[\w:/-]{1,2048}$/), {
      expectation: 'the id, ARN or alias of a symmetric key in AWS KMS',
      example: 'alias/strongroom',
    }),
    region: setting('STRONGROOM_AWS_KMS_REGION', textLike(/^[a-z]{2,8}(-[a-z]{1,16})+-\d{1,2}$/), {
      expectation: 'the AWS region of the key',
      example: 'eu-central-1',
    }),
    endpoint: chosen([endpoint, usesFips], (environment) => {
      const isBoth = endpoint.isSet(environment) && usesFips.find(environment) === true;
      // The SDK refuses both, but only when it is first used.
      if (isBoth) throw endpoint.refusal(`cannot be combined with ${usesFips.variable}`);
      return optional(endpoint);
    }),
    usesFips,
    profile: optionalSetting('STRONGROOM_AWS_KMS_PROFILE', textLike(/^[\w.@+=:/-]{1,128}$/), {
      expectation: 'a profile of the AWS configuration files, such as one with a role or SSO',
      example: 'strongroom',
      otherwise: 'the default profile, if there is one',
    }),
    authority: optionalSetting('STRONGROOM_AWS_KMS_CA', parseCertificates, {
      expectation: 'a further CA certificate as PEM, if that of the endpoint is not from a public CA',
      example: '"$(cat kms-ca.pem)"',
      secret: 'certificate',
    }),
    accessKey: companions(accessKeyId, accessKey),
  }),
  async (options) => {
    const { AwsKmsRootKey } = await import('../../keyring/kms/aws/aws-kms-root-key.ts');
    return AwsKmsRootKey.open(options);
  },
);

function isEndpoint(url: URL): boolean {
  return isServiceUrl(url) && url.pathname === '/';
}

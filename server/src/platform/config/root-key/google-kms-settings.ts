import { Sensitive } from '../../../core/identity/sensitive.ts';
import { hasMembers } from '../../../core/objects/members-of.ts';
import type { GoogleKmsOptions } from '../../keyring/kms/google/google-kms-client.ts';
import { group, optionalSetting, setting } from '../reading.ts';
import { rootKeyReading } from './root-key-reading.ts';
import { textLike } from '../setting-parsers.ts';

const resourceName =
  /^projects\/[a-z\d.:-]{1,100}\/locations\/[a-z\d-]{1,63}\/keyRings\/[\w-]{1,63}\/cryptoKeys\/[\w-]{1,63}$/;

/** A root key in Google Cloud KMS. */
export const googleKmsKey = rootKeyReading(
  'google-kms',
  group<Omit<GoogleKmsOptions, 'agent'>>({
    key: setting('STRONGROOM_GOOGLE_KMS_KEY', textLike(resourceName), {
      expectation: 'the resource name of a symmetric key in Google Cloud KMS',
      example: 'projects/payments/locations/europe-west3/keyRings/vault/cryptoKeys/strongroom',
    }),
    credentials: optionalSetting('STRONGROOM_GOOGLE_KMS_CREDENTIALS', parseCredentials, {
      expectation:
        'a key of a service account or a configuration of workload identity, as JSON, if the SDK should not look for one',
      example: '"$(cat credentials.json)"',
      secret: 'credential',
    }),
  }),
  async (options) => {
    const { GoogleKmsRootKey } = await import('../../keyring/kms/google/google-kms-root-key.ts');
    return GoogleKmsRootKey.open(options);
  },
);

function parseCredentials(text: string): Sensitive<string> | undefined {
  try {
    const file: unknown = JSON.parse(text);
    return hasMembers(file) && typeof file['type'] === 'string' ? new Sensitive(text) : undefined;
  } catch {
    return undefined;
  }
}

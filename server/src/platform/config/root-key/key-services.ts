import type { RootKeyConfig } from '../../keyring/kms/open-root-key.ts';
import { awsKmsKey } from './aws-kms-settings.ts';
import { azureKeyVaultKey } from './azure-key-vault-settings.ts';
import { fileKey, previousFileKey } from './file-key-settings.ts';
import { googleKmsKey } from './google-kms-settings.ts';
import { pkcs11Key, previousPkcs11Key } from './pkcs11-settings.ts';
import type { Reading } from '../setting.ts';
import { transitKey } from './transit-settings.ts';

/** A service that can hold the root key. */
export interface KeyService {
  /** The name that people use, as in "a root key in AWS KMS". */
  readonly name: string;
  /** The settings of the key. The service is configured if the first one is set. */
  readonly key: Reading<RootKeyConfig>;
  /** The settings of the previous key, for when the service stays the same but its key changes. */
  readonly previous?: Reading<RootKeyConfig | undefined>;
}

/** All key services, by the names that `STRONGROOM_ROOT_KEY_PROVIDER` knows and that ids of root keys begin with. */
export const keyServices = {
  file: { name: 'a file or variable', key: fileKey, previous: previousFileKey },
  pkcs11: { name: 'an HSM', key: pkcs11Key, previous: previousPkcs11Key },
  'aws-kms': { name: 'AWS KMS', key: awsKmsKey },
  'google-kms': { name: 'Google Cloud KMS', key: googleKmsKey },
  'azure-key-vault': { name: 'Azure Key Vault', key: azureKeyVaultKey },
  transit: { name: 'Vault or OpenBao', key: transitKey },
} satisfies Readonly<Record<string, KeyService>>;

export type KeyServiceKind = keyof typeof keyServices;

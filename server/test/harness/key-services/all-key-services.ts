import type { KeyServiceKind } from '../../../src/platform/config/root-key/key-services.ts';
import { AwsKmsEndpoint } from './aws-kms-endpoint.ts';
import { AzureKeyVaultEndpoint } from './azure-key-vault-endpoint.ts';
import { GoogleKmsEndpoint } from './google-kms-endpoint.ts';
import { startFileKey } from './tested-file-key.ts';
import { TestedHsm } from './tested-hsm.ts';
import type { TestedKeyService } from './tested-key-service.ts';
import { TestedTransit } from './tested-transit.ts';

/**
 * All key services, for tests that run on each of them. SoftHSM is real. The services of clouds and Transit are
 * endpoints on this machine that were written from public documentation and speak the real protocol; clouds are called
 * through their own SDKs. Nothing was tried against the real clouds. If a service is missing here, the tests do not
 * compile.
 */
export const testedKeyServices: Readonly<Record<KeyServiceKind, () => Promise<TestedKeyService>>> = {
  file: async () => startFileKey(),
  pkcs11: () => TestedHsm.start(),
  'aws-kms': () => AwsKmsEndpoint.start(),
  'google-kms': () => GoogleKmsEndpoint.start(),
  'azure-key-vault': () => AzureKeyVaultEndpoint.start(),
  transit: () => TestedTransit.start(),
};

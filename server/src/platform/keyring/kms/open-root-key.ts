import type { AwsKmsOptions } from './aws-kms-client.ts';
import { AwsKmsRootKey } from './aws-kms-root-key.ts';
import { FileRootKey } from './file-root-key.ts';
import { Pkcs11RootKey } from './pkcs11-root-key.ts';
import type { Pkcs11Options } from './pkcs11-session.ts';
import type { RootKey } from './root-key.ts';
import type { TransitOptions } from './transit-client.ts';
import { TransitRootKey } from './transit-root-key.ts';

/** Which provider holds the root key. A new provider is a new kind here and a new file beside this one. */
export type RootKeyConfig =
  | { readonly kind: 'file'; readonly key: Buffer }
  | ({ readonly kind: 'pkcs11' } & Pkcs11Options)
  | ({ readonly kind: 'aws-kms' } & AwsKmsOptions)
  | ({ readonly kind: 'transit' } & TransitOptions);

export async function openRootKey(config: RootKeyConfig): Promise<RootKey> {
  switch (config.kind) {
    case 'file':
      return new FileRootKey(config.key);
    case 'pkcs11':
      return Pkcs11RootKey.open(config);
    case 'aws-kms':
      return AwsKmsRootKey.open(config);
    case 'transit':
      return TransitRootKey.open(config);
  }
}

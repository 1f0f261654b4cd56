import type { AwsKmsOptions } from './aws-kms-client.ts';
import { AwsKmsRootKey } from './aws-kms-root-key.ts';
import { FileRootKey } from './file-root-key.ts';
import { Pkcs11RootKey } from './pkcs11-root-key.ts';
import type { Pkcs11Options } from './pkcs11-session.ts';
import type { RootKey } from './root-key.ts';
import { RootKeys } from './root-keys.ts';
import type { TransitOptions } from './transit-client.ts';
import { TransitRootKey } from './transit-root-key.ts';

/** The provider of the root key. To add a provider, add a kind here and a file in this folder. */
export type RootKeyConfig =
  | { readonly kind: 'file'; readonly key: Buffer }
  | ({ readonly kind: 'pkcs11' } & Pkcs11Options)
  | ({ readonly kind: 'aws-kms' } & AwsKmsOptions)
  | ({ readonly kind: 'transit' } & TransitOptions);

/** The root key that wraps, and those that it replaces. */
export interface RootKeysConfig {
  readonly primary: RootKeyConfig;
  readonly others: readonly RootKeyConfig[];
}

/** Opens all root keys or none. */
export async function openRootKeys({ primary, others }: RootKeysConfig): Promise<RootKeys> {
  const opened: RootKey[] = [];
  try {
    for (const config of [primary, ...others]) opened.push(await openRootKey(config));
  } catch (error) {
    await Promise.all(opened.map((key) => key.close()));
    throw error;
  }
  const [first, ...rest] = opened;
  if (first === undefined) throw new Error('A vault needs a root key.');
  return new RootKeys(first, rest);
}

async function openRootKey(config: RootKeyConfig): Promise<RootKey> {
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

import { FileRootKey } from './file-root-key.ts';
import { Pkcs11RootKey } from './pkcs11-root-key.ts';
import type { Pkcs11Options } from './pkcs11-session.ts';
import type { RootKey } from './root-key.ts';

/** Which provider holds the root key. A new provider is a new kind here and a new file beside this one. */
export type RootKeyConfig =
  | { readonly kind: 'file'; readonly key: Buffer }
  | ({ readonly kind: 'pkcs11' } & Pkcs11Options);

export async function openRootKey(config: RootKeyConfig): Promise<RootKey> {
  switch (config.kind) {
    case 'file':
      return new FileRootKey(config.key);
    case 'pkcs11':
      return Pkcs11RootKey.open(config);
  }
}

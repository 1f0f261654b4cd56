import type { Sensitive } from '../../core/identity/sensitive.ts';
import { parseRootKey } from '../keyring/kms/file-root-key.ts';
import type { RootKeyConfig } from '../keyring/kms/open-root-key.ts';
import type { Setting } from './setting.ts';
import { parseSecret, parseText } from './setting-parsers.ts';

export const rootKey: Setting<Buffer> = {
  variable: 'STRONGROOM_ROOT_KEY',
  expectation:
    '32 random bytes as base64 or hexadecimal, to be kept as long as the data; or a key in an HSM or key service instead',
  // The example is a command, not a key. Otherwise somebody might copy it and use a key that is public.
  example: '$(openssl rand -base64 32)',
  parse: parseRootKey,
  otherwise: 'required, unless another root key is configured',
};

export const pkcs11Module: Setting<string> = {
  variable: 'STRONGROOM_PKCS11_MODULE',
  expectation: 'the path of the PKCS#11 library of the HSM',
  example: '/usr/lib/softhsm/libsofthsm2.so',
  parse: parseText,
};

export const pkcs11Token: Setting<string> = {
  variable: 'STRONGROOM_PKCS11_TOKEN',
  expectation: 'the label of the token that holds the root key',
  example: 'strongroom',
  parse: parseText,
};

export const pkcs11Pin: Setting<Sensitive<string>> = {
  variable: 'STRONGROOM_PKCS11_PIN',
  expectation: 'the user PIN of the token',
  example: '1234',
  parse: parseSecret,
};

export const pkcs11Key: Setting<string> = {
  variable: 'STRONGROOM_PKCS11_KEY',
  expectation: 'the label of the AES-256 key on the token',
  example: 'strongroom-root',
  parse: parseText,
};

/** The previous key, for when the provider stays the same but its key changes. */
export const previousRootKey: Setting<Buffer> = {
  ...rootKey,
  variable: 'STRONGROOM_PREVIOUS_ROOT_KEY',
  expectation: 'the root key that STRONGROOM_ROOT_KEY replaces, until all keys are rewrapped',
  example: '"$(cat previous-root-key)"',
  otherwise: 'none',
};

export const previousPkcs11Key: Setting<string> = {
  ...pkcs11Key,
  variable: 'STRONGROOM_PREVIOUS_PKCS11_KEY',
  expectation: 'the label of the key on the same token that STRONGROOM_PKCS11_KEY replaces',
  example: 'strongroom-root-2025',
};

const kinds: readonly RootKeyConfig['kind'][] = ['file', 'pkcs11', 'aws-kms', 'transit'];

export const rootKeyProvider: Setting<RootKeyConfig['kind']> = {
  variable: 'STRONGROOM_ROOT_KEY_PROVIDER',
  expectation: `which of the configured root keys wraps: ${kinds.join(' or ')}; the others only unwrap`,
  example: 'file',
  parse: (text) => kinds.find((kind) => kind === text),
  otherwise: 'the only one; required if there are several',
};

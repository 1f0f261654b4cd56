import type { Sensitive } from '../../core/identity/sensitive.ts';
import { parseRootKey } from '../keyring/kms/file-root-key.ts';
import type { RootKeyConfig, RootKeysConfig } from '../keyring/kms/open-root-key.ts';
import { readAwsKms, readTransit } from './kms-settings.ts';
import type { Setting, SettingReader, Unfinished } from './setting.ts';
import { parseSecret, parseText } from './setting-parsers.ts';

type Found = Unfinished<RootKeyConfig> & Pick<RootKeyConfig, 'kind'>;

/** Every provider that is configured. Where there are several, the operator says which one wraps. */
export function readRootKeys(reader: SettingReader): RootKeysConfig {
  // Without any, the simplest is asked for, so that something says what is missing.
  return readOptionalRootKeys(reader) ?? toConfig(reader, [{ kind: 'file', key: reader.read(rootKey) }]);
}

/** The same, or undefined where none is configured. */
export function readOptionalRootKeys(reader: SettingReader): RootKeysConfig | undefined {
  const found = [readFile, readPkcs11, readAwsKms, readTransit].flatMap((read): Found[] => {
    const one = read(reader);
    return one === undefined ? [] : [one as Found];
  });
  return found.length === 0 ? undefined : toConfig(reader, found);
}

const rootKey: Setting<Buffer> = {
  variable: 'STRONGROOM_ROOT_KEY',
  expectation:
    '32 random bytes as base64 or hexadecimal, to be kept as long as the data; or configure a PKCS#11 key instead',
  // Not a key: whoever copies an example must not end up with one that the whole world can read here.
  example: '$(openssl rand -base64 32)',
  parse: parseRootKey,
};

const pkcs11Module: Setting<string> = {
  variable: 'STRONGROOM_PKCS11_MODULE',
  expectation: 'the path of the PKCS#11 library of the HSM',
  example: '/usr/lib/softhsm/libsofthsm2.so',
  parse: parseText,
};

const pkcs11Token: Setting<string> = {
  variable: 'STRONGROOM_PKCS11_TOKEN',
  expectation: 'the label of the token that holds the root key',
  example: 'strongroom',
  parse: parseText,
};

const pkcs11Pin: Setting<Sensitive<string>> = {
  variable: 'STRONGROOM_PKCS11_PIN',
  expectation: 'the user PIN of the token',
  example: '1234',
  parse: parseSecret,
};

const pkcs11Key: Setting<string> = {
  variable: 'STRONGROOM_PKCS11_KEY',
  expectation: 'the label of the AES-256 key on the token',
  example: 'strongroom-root',
  parse: parseText,
};

/** Keys of a provider that stays while the key changes. */
const previousRootKey: Setting<Buffer> = {
  ...rootKey,
  variable: 'STRONGROOM_PREVIOUS_ROOT_KEY',
  expectation: 'the root key that STRONGROOM_ROOT_KEY replaces, until all keys are rewrapped',
};

const previousPkcs11Key: Setting<string> = {
  ...pkcs11Key,
  variable: 'STRONGROOM_PREVIOUS_PKCS11_KEY',
  expectation: 'the label of the key on the same token that STRONGROOM_PKCS11_KEY replaces',
};

function provider(kinds: readonly RootKeyConfig['kind'][]): Setting<RootKeyConfig['kind']> {
  return {
    variable: 'STRONGROOM_ROOT_KEY_PROVIDER',
    expectation: `which of the configured root keys wraps new keys: ${kinds.join(' or ')}; the others only unwrap`,
    example: kinds.at(-1) ?? 'file',
    parse: (text) => kinds.find((kind) => kind === text),
  };
}

/** What is incomplete here was reported to the reader, which throws before anybody uses it. */
function toConfig(reader: SettingReader, found: readonly Found[]): RootKeysConfig {
  const kinds = found.map(({ kind }) => kind);
  const [only] = kinds;
  const wrapping = kinds.length > 1 || reader.has(provider(kinds)) ? reader.read(provider(kinds)) : only;
  const isPrimary = ({ kind }: Found) => kind === wrapping;
  const others = [...found.filter((key) => !isPrimary(key)), ...readPrevious(reader)];
  return { primary: found.find(isPrimary), others } as RootKeysConfig;
}

function readFile(reader: SettingReader): Found | undefined {
  return reader.has(rootKey) ? { kind: 'file', key: reader.read(rootKey) } : undefined;
}

function readPkcs11(reader: SettingReader, label = pkcs11Key): Found | undefined {
  if (!reader.has(pkcs11Module)) return undefined;
  return {
    kind: 'pkcs11',
    modulePath: reader.read(pkcs11Module),
    tokenLabel: reader.read(pkcs11Token),
    pin: reader.read(pkcs11Pin),
    keyLabel: reader.read(label),
  };
}

function readPrevious(reader: SettingReader): (Found | undefined)[] {
  const previous: (Found | undefined)[] = [];
  if (reader.has(previousRootKey)) previous.push({ kind: 'file', key: reader.read(previousRootKey) });
  if (reader.has(previousPkcs11Key)) previous.push(readPkcs11(reader, previousPkcs11Key));
  return previous.filter((one) => one !== undefined);
}

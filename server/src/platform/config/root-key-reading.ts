import type { RootKeyConfig, RootKeysConfig } from '../keyring/kms/open-root-key.ts';
import { awsKms, type KindOf, transit } from './kms-reading.ts';
import { awsKey, transitUrl } from './kms-settings.ts';
import { allOf, always, listed, mapped, type Reading, required } from './reading.ts';
import * as rows from './root-key-settings.ts';
import type { Setting } from './setting.ts';
import type { Outcome, SettingSource } from './setting-source.ts';

/** One kind of root key. It is configured if its first setting is set. */
interface Provider {
  readonly kind: RootKeyConfig['kind'];
  readonly named: Setting<unknown>;
  readonly reading: Reading<RootKeyConfig>;
}

const inFile: Provider = { kind: 'file', named: rows.rootKey, reading: fileKey(rows.rootKey) };
const providers: readonly Provider[] = [
  inFile,
  { kind: 'pkcs11', named: rows.pkcs11Module, reading: pkcs11Key(rows.pkcs11Key) },
  { kind: 'aws-kms', named: awsKey, reading: awsKms },
  { kind: 'transit', named: transitUrl, reading: transit },
];

/** Reads every configured provider. If there are several, the operator chooses the one that wraps new keys. */
export const rootKeys: Reading<RootKeysConfig> = (source) => {
  const configured = configuredIn(source);
  // If none is configured, the simplest provider is read, so that its error message says what is missing.
  return keysOf(configured.length === 0 ? [inFile] : configured, source);
};

/** Reads the root keys, or undefined if none is configured. */
export const optionalRootKeys: Reading<RootKeysConfig | undefined> = (source) =>
  configuredIn(source).length === 0 ? { value: undefined } : rootKeys(source);

function configuredIn(source: SettingSource): Provider[] {
  return providers.filter(({ named }) => source.has(named));
}

function keysOf(found: readonly Provider[], source: SettingSource): Outcome<RootKeysConfig> {
  const reading = mapped(
    allOf<{ wrapping: RootKeyConfig['kind']; keys: readonly RootKeyConfig[]; previous: readonly RootKeyConfig[] }>({
      keys: listed(found.map((provider) => provider.reading)),
      wrapping: wrappingAmong(found),
      previous: previousKeys,
    }),
    ({ keys, wrapping, previous }) => {
      const primary = keys.find(({ kind }) => kind === wrapping);
      if (primary === undefined) throw new Error('The key that wraps is one of those that are configured.');
      return Object.freeze({ primary, others: [...keys.filter((key) => key !== primary), ...previous] });
    },
  );
  return reading(source);
}

function wrappingAmong(found: readonly Provider[]): Reading<RootKeyConfig['kind']> {
  const kinds = found.map(({ kind }) => kind);
  const [first = inFile.kind, ...others] = kinds;
  const provider: Setting<RootKeyConfig['kind']> = {
    ...rows.rootKeyProvider,
    expectation: `which of the configured root keys wraps: ${kinds.join(' or ')}; the others only unwrap`,
    example: others.at(-1) ?? first,
    parse: (text) => kinds.find((kind) => kind === text),
  };
  // With one key there is nothing to choose, but choosing a key that is not configured is a mistake.
  return required(others.length > 0 ? provider : { ...provider, fallback: first });
}

/** Reads the previous keys, for when the provider stays the same but its key changes. */
const previousKeys: Reading<readonly RootKeyConfig[]> = (source) => {
  const readings: Reading<RootKeyConfig>[] = [];
  if (source.has(rows.previousRootKey)) readings.push(fileKey(rows.previousRootKey));
  if (source.has(rows.previousPkcs11Key) && source.has(rows.pkcs11Module)) {
    readings.push(pkcs11Key(rows.previousPkcs11Key));
  }
  return listed(readings)(source);
};

function fileKey(setting: Setting<Buffer>): Reading<RootKeyConfig> {
  return allOf<KindOf<'file'>>({ kind: always('file'), key: required(setting) });
}

function pkcs11Key(label: Setting<string>): Reading<RootKeyConfig> {
  return allOf<KindOf<'pkcs11'>>({
    kind: always('pkcs11'),
    modulePath: required(rows.pkcs11Module),
    tokenLabel: required(rows.pkcs11Token),
    pin: required(rows.pkcs11Pin),
    keyLabel: required(label),
  });
}

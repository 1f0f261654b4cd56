import { keysOf } from '../../../core/objects/keys-of.ts';
import type { RootKeyConfig, RootKeysConfig } from '../../keyring/kms/open-root-key.ts';
import { type KeyService, type KeyServiceKind, keyServices } from './key-services.ts';
import { ownRootKeys } from './own-root-key-settings.ts';
import { always, chosen, group, isConfigured, listed, mapped } from '../reading.ts';
import { type Environment, type Reading, Setting } from '../setting.ts';
import { oneOf } from '../setting-parsers.ts';

const services: Readonly<Record<KeyServiceKind, KeyService>> = keyServices;
const providers = keysOf(services);
const previousKeys = listed<RootKeyConfig | undefined>(providers.flatMap((name) => services[name].previous ?? []));

export const rootKeyProvider = wrappingAmong(providers, 'file');

/** All configured root keys. If there are several, the operator chooses the one that wraps new keys. */
export const rootKeys = chosen<RootKeysConfig>(
  [rootKeysOf(providers), rootKeyProvider, previousKeys, ownRootKeys],
  (environment) => {
    // If none is configured, the simplest provider is read, so that its error message says what is missing.
    const [first = 'file', ...others] = configuredIn(environment);
    const found = [first, ...others];
    // With one key there is nothing to choose, but choosing a key that is not configured is a mistake.
    const wrapping = wrappingAmong(found, others.at(-1) ?? first, others.length > 0 ? undefined : first);
    return mapped(
      group({ keys: rootKeysOf(found), wrapping, previous: previousKeys, own: ownRootKeys }),
      ({ keys, wrapping, previous, own }) => {
        const primary = keys.find(({ kind }) => kind === wrapping);
        if (primary === undefined) throw new Error('The key that wraps is one of those that are configured.');
        const unwrapping = [...keys.filter((key) => key !== primary), ...previous];
        const others = unwrapping.filter((key) => key !== undefined);
        return Object.freeze({ primary, others, ...(own === undefined ? {} : { own }) });
      },
    );
  },
);

/** The root keys, or undefined if none is configured. */
export const optionalRootKeys = chosen<RootKeysConfig | undefined>([rootKeys], (environment) =>
  configuredIn(environment).length === 0 ? always(undefined) : rootKeys,
);

function configuredIn(environment: Environment): KeyServiceKind[] {
  return providers.filter((name) => isConfigured(services[name].key, environment));
}

function rootKeysOf(names: readonly KeyServiceKind[]): Reading<readonly RootKeyConfig[]> {
  return listed<RootKeyConfig>(names.map((name) => services[name].key));
}

function wrappingAmong(
  names: readonly KeyServiceKind[],
  example: KeyServiceKind,
  fallback?: KeyServiceKind,
): Setting<KeyServiceKind> {
  const details = {
    expectation: `which of the configured root keys wraps: ${names.join(' or ')}; the others only unwrap`,
    example,
    otherwise: 'the only one; required if there are several',
  };
  return new Setting('STRONGROOM_ROOT_KEY_PROVIDER', oneOf(names), details, fallback);
}

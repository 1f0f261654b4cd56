import { isJsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { parseJson } from '../../../core/json/parse-json.ts';
import { keysOf } from '../../../core/objects/keys-of.ts';
import type { RootKeyConfig } from '../../keyring/kms/open-root-key.ts';
import type { OwnRootKeysConfig } from '../../keyring/kms/own-root-keys.ts';
import { ConfigError, type ConfigProblem } from '../config-error.ts';
import { type KeyService, keyServices } from './key-services.ts';
import { group, isConfigured, setting, settingWithDefault, whereSet } from '../reading.ts';
import type { Environment, Reading } from '../setting.ts';
import { wholeNumber } from '../setting-parsers.ts';

const keysMax = 1_000;
const services: readonly KeyService[] = keysOf(keyServices).map((kind) => keyServices[kind]);

const named = setting('STRONGROOM_TENANT_ROOT_KEYS', parseNamed, {
  expectation: `a JSON object with up to ${keysMax} names of lower-case letters, digits and dashes, each with the settings of one root key`,
  purpose:
    'root keys that owners of tenants control, as a JSON object: each name with the settings of one root key; a key in a file, an HSM or any key service',
  example: '{"acme":{"STRONGROOM_AWS_KMS_KEY":"arn:aws:kms:…","STRONGROOM_AWS_KMS_REGION":"eu-central-1"}}',
  secret: 'credential',
  otherwise: 'none: the root key of the vault wraps the keys of all tenants',
});

const graceSeconds = settingWithDefault('STRONGROOM_TENANT_ROOT_KEY_GRACE_SECONDS', wholeNumber(10, 86_400), 900, {
  expectation:
    'for how long a server uses the keys of a tenant after it last unwrapped them with the root key of its owner, 10 to 86400',
});

const keys: Reading<ReadonlyMap<string, RootKeyConfig>> = {
  settings: [named],
  read: (environment) => {
    const read = new Map<string, RootKeyConfig>();
    const problems: ConfigProblem[] = [];
    for (const [name, settings] of named.read(environment)) {
      try {
        read.set(name, readKey(name, settings));
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        const of = `of "${name}" in ${named.variable}`;
        problems.push(...error.problems.map((one) => ({ ...one, problem: `${of} ${one.problem}` })));
      }
    }
    if (problems.length > 0) throw new ConfigError(problems);
    return read;
  },
};

/** The root keys of tenants that have their own, if there are any. */
export const ownRootKeys: Reading<OwnRootKeysConfig | undefined> = whereSet(
  named,
  group<OwnRootKeysConfig>({ keys, graceSeconds }),
);

function readKey(name: string, settings: Environment): RootKeyConfig {
  const [service, another] = services.filter(({ key }) => isConfigured(key, settings));
  if (service === undefined || another !== undefined) {
    const count = service === undefined ? 'no root key' : 'several root keys';
    throw named.refusal(`has ${count} under the name "${name}"`);
  }
  const known = new Set(service.key.settings.flatMap(({ variable, fileVariable }) => [variable, fileVariable]));
  const foreign = Object.keys(settings).find((variable) => !known.has(variable));
  if (foreign !== undefined)
    throw named.refusal(`has a setting under "${name}" that is none of a root key in ${service.name}`);
  return service.key.read(settings);
}

function parseNamed(text: string): ReadonlyMap<string, Environment> | undefined {
  const value = parseWhole(text);
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value);
  if (entries.length > keysMax || !entries.every(([name]) => /^[a-z0-9][a-z0-9-]{0,39}$/.test(name))) return undefined;
  const parsed = new Map<string, Environment>();
  for (const [name, settings] of entries) {
    const environment = toEnvironment(settings);
    if (environment === undefined) return undefined;
    parsed.set(name, environment);
  }
  return parsed;
}

function parseWhole(text: string): JsonValue | undefined {
  try {
    return parseJson(text, { depthMax: 3, valuesMax: 32 * keysMax });
  } catch {
    return undefined;
  }
}

function toEnvironment(value: JsonValue | undefined): Environment | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value);
  const texts = entries.flatMap(([variable, text]) => (typeof text === 'string' ? [[variable, text] as const] : []));
  return texts.length === entries.length ? Object.fromEntries(texts) : undefined;
}

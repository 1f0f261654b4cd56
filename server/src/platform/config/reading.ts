import { keysOf } from '../../core/objects/keys-of.ts';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import { type Environment, type Reading, Setting, type SettingDetails } from './setting.ts';

type Parse<T> = (text: string) => T | undefined;

/** The type of the value that a reading returns. */
export type ValueOf<R> = R extends Reading<infer T> ? T : never;

/** One reading for every member, including optional ones. If one is missing, the code does not compile. */
type ReadingsOf<T> = { readonly [Key in keyof T]-?: Reading<T[Key]> };

/** A setting that must be set. */
export function setting<T>(variable: string, parse: Parse<T>, details: SettingDetails): Setting<T> {
  return new Setting(variable, parse, details);
}

/** A setting that may be absent. */
export function optionalSetting<T>(variable: string, parse: Parse<T>, details: SettingDetails): Reading<T | undefined> {
  return optional(setting(variable, parse, details));
}

/** A setting with a default. Unless there is a better example, the default is the example. */
export function settingWithDefault<T>(
  variable: string,
  parse: Parse<T>,
  fallback: NoInfer<T>,
  details: Omit<SettingDetails, 'example'> & { readonly example?: string },
): Setting<T> {
  return new Setting(variable, parse, { example: String(fallback), ...details }, fallback);
}

/** Reads something only if it is configured. */
export function optional<T>(reading: Reading<T>): Reading<T | undefined> {
  return whereSet(reading, reading);
}

/** Reads something only if something else is configured. */
export function whereSet<T>(condition: Reading<unknown>, reading: Reading<T>): Reading<T | undefined> {
  const unset = always(undefined);
  return chosen([condition, reading], (environment) => (isConfigured(condition, environment) ? reading : unset));
}

/**
 * Reads a group only if its primary setting is set. If another one is set without it, somebody forgot the primary one, so
 * that is refused.
 */
export function companions<T>(primary: Setting<unknown>, reading: Reading<T>): Reading<T | undefined> {
  return chosen([primary, reading], (environment) => {
    if (primary.isSet(environment)) return reading;
    const orphan = reading.settings.find((one) => one.isSet(environment));
    if (orphan !== undefined) throw orphan.refusal(`has no effect without ${primary.variable}`);
    return always(undefined);
  });
}

/** Returns true if the first setting of a reading is set. */
export function isConfigured({ settings: [first] }: Reading<unknown>, environment: Environment): boolean {
  return first !== undefined && first.isSet(environment);
}

/** Reads one of several readings, depending on the environment. */
export function chosen<T>(
  readings: readonly Reading<unknown>[],
  choose: (environment: Environment) => Reading<T>,
): Reading<T> {
  return { settings: settingsOf(readings), read: (environment) => choose(environment).read(environment) };
}

/** Returns a constant that no setting changes. */
export function always<const T>(value: T): Reading<T> {
  return { settings: [], read: () => value };
}

export function mapped<T, U>(reading: Reading<T>, map: (value: T) => U): Reading<U> {
  return { settings: reading.settings, read: (environment) => map(reading.read(environment)) };
}

export function listed<T>(readings: readonly Reading<T>[]): Reading<readonly T[]> {
  return { settings: settingsOf(readings), read: (environment) => readEvery<T[]>(readings, environment, []) };
}

/**
 * Builds a frozen object from a reading for each member. If the type of the object is defined elsewhere, the caller must
 * specify it. Otherwise a missing member would go unnoticed.
 */
export function group<T extends object>(members: ReadingsOf<T>): Reading<Readonly<T>> {
  const settings = settingsOf(keysOf(members).map((key) => members[key]));
  return { settings, read: (environment) => Object.freeze(readEvery(members, environment, {})) };
}

/** Returns each setting of some readings once. */
export function settingsOf(readings: readonly Reading<unknown>[]): readonly Setting<unknown>[] {
  return [...new Set(readings.flatMap(({ settings }) => settings))];
}

/** Reads every member, so that a problem in one does not hide others. */
function readEvery<T extends object>(members: ReadingsOf<T>, environment: Environment, values: Partial<T>): T {
  const problems: ConfigProblem[] = [];
  for (const key in members) {
    try {
      values[key] = members[key].read(environment);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0 || !hasEvery(values, members)) throw new ConfigError(problems);
  return values;
}

function hasEvery<T extends object>(values: Partial<T>, members: ReadingsOf<T>): values is T {
  return Object.keys(members).every((key) => key in values);
}

import { ConfigError, type ConfigProblem } from './config-error.ts';
import type { Environment, Setting } from './setting.ts';
import { type Outcome, SettingSource } from './setting-source.ts';

/**
 * Reads a part of the configuration. Readings are composed before anything is read, so that a problem in one does not
 * hide others.
 */
export type Reading<T> = (source: SettingSource) => Outcome<T>;

/** One reading for every member, including optional ones. If one is missing, the code does not compile. */
export type ReadingsOf<T> = { readonly [Key in keyof T]-?: Reading<T[Key]> };

/** Returns the value. Throws an error that lists every problem. */
export function readFrom<T>(environment: Environment, reading: Reading<T>): T {
  const outcome = reading(new SettingSource(environment));
  if ('problems' in outcome) throw new ConfigError(outcome.problems);
  return outcome.value;
}

/** Reads a setting that must be set, unless it has a fallback. */
export function required<T>(setting: Setting<T>): Reading<T> {
  return (source) => source.read(setting);
}

export function optional<T>(setting: Setting<T>): Reading<T | undefined> {
  return whereSet(setting, required(setting));
}

/** Reads something only if the given setting is set. */
export function whereSet<T>(setting: Setting<unknown>, reading: Reading<T>): Reading<T | undefined> {
  return (source) => (source.has(setting) ? reading(source) : { value: undefined });
}

/** Returns a constant that no setting changes. */
export function always<const T>(value: T): Reading<T> {
  return () => ({ value });
}

export function mapped<T, U>(reading: Reading<T>, map: (value: T) => U): Reading<U> {
  return (source) => {
    const outcome = reading(source);
    return 'problems' in outcome ? outcome : { value: map(outcome.value) };
  };
}

export function listed<T>(readings: readonly Reading<T>[]): Reading<readonly T[]> {
  return (source) => {
    const values: T[] = [];
    const problems: ConfigProblem[] = [];
    for (const reading of readings) {
      const outcome = reading(source);
      if ('problems' in outcome) problems.push(...outcome.problems);
      else values.push(outcome.value);
    }
    return problems.length > 0 ? { problems } : { value: values };
  };
}

/**
 * Builds a frozen object from a reading for each member, or returns the problems of all of them. The caller must
 * specify the type of the object. If it were inferred from the readings, a missing member would go unnoticed.
 */
export function allOf<T extends object>(readings: NoInfer<ReadingsOf<T>>): Reading<T> {
  return (source) => readEvery<T>(readings, source);
}

function readEvery<T extends object>(readings: ReadingsOf<T>, source: SettingSource): Outcome<T> {
  const values: Partial<T> = {};
  const problems: ConfigProblem[] = [];
  for (const key in readings) {
    const outcome = readings[key](source);
    if ('problems' in outcome) problems.push(...outcome.problems);
    else values[key] = outcome.value;
  }
  if (problems.length > 0 || !hasEvery(values, readings)) return { problems };
  return { value: Object.freeze(values) };
}

function hasEvery<T extends object>(values: Partial<T>, readings: ReadingsOf<T>): values is T {
  return Object.keys(readings).every((key) => key in values);
}

import { ConfigError, type ConfigProblem } from './config-error.ts';
import type { Environment, Setting } from './setting.ts';
import { type Outcome, SettingSource } from './setting-source.ts';

/** How a part of the configuration is read. Readings are put together before anything is read, so that none stops another. */
export type Reading<T> = (source: SettingSource) => Outcome<T>;

/** One reading for every member, those that may be absent included: a forgotten one does not compile. */
export type ReadingsOf<T> = { readonly [Key in keyof T]-?: Reading<T[Key]> };

/** The value; throws with every problem that there is. */
export function readFrom<T>(environment: Environment, reading: Reading<T>): T {
  const outcome = reading(new SettingSource(environment));
  if ('problems' in outcome) throw new ConfigError(outcome.problems);
  return outcome.value;
}

/** A setting that has to be there, unless it has a fallback. */
export function required<T>(setting: Setting<T>): Reading<T> {
  return (source) => source.read(setting);
}

export function optional<T>(setting: Setting<T>): Reading<T | undefined> {
  return whereSet(setting, required(setting));
}

/** Something that is read only where one setting asks for it. */
export function whereSet<T>(setting: Setting<unknown>, reading: Reading<T>): Reading<T | undefined> {
  return (source) => (source.has(setting) ? reading(source) : { value: undefined });
}

/** What no setting changes. */
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
 * An object, frozen, from a reading for each member; or the problems of all of them. What it makes is named by the caller
 * and not inferred from the readings, which could not tell that one is missing.
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

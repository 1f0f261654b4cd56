import { readFileSync } from 'node:fs';
import type { ConfigProblem } from './config-error.ts';
import { type Environment, fileVariable, type Setting } from './setting.ts';

/** The outcome of a reading: either the value, or all problems. */
export type Outcome<T> = { readonly value: T } | { readonly problems: readonly ConfigProblem[] };

/** Looks up a setting in its variable, or in the file named by the variable with the suffix `_FILE`. */
export class SettingSource {
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  has(setting: Setting<unknown>): boolean {
    return this.#given(setting.variable) !== undefined || this.#given(fileVariable(setting)) !== undefined;
  }

  read<T>(setting: Setting<T>): Outcome<T> {
    const text = this.#given(setting.variable);
    const file = this.#given(fileVariable(setting));
    if (text !== undefined) return toOutcome(setting.parse(text), setting, 'is not valid');
    if (file !== undefined) return readFile(setting, file);
    if (setting.fallback !== undefined) return { value: setting.fallback };
    return problemWith(setting, 'missing', 'is not set');
  }

  /**
   * Returns the value of a variable. An empty value counts as not set, because shells and compose files pass missing
   * values as empty text.
   */
  #given(variable: string): string | undefined {
    const text = this.#environment[variable];
    return text === '' ? undefined : text;
  }
}

function readFile<T>(setting: Setting<T>, file: string): Outcome<T> {
  const example = `/run/secrets/${setting.variable.toLowerCase()}`;
  const source = { ...setting, variable: fileVariable(setting), example };
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch {
    return problemWith(source, 'invalid', 'names a file that cannot be read');
  }
  return toOutcome(setting.parse(text), source, 'names a file with content that is not valid');
}

function toOutcome<T>(value: T | undefined, setting: Setting<T>, problem: string): Outcome<T> {
  return value === undefined ? problemWith(setting, 'invalid', problem) : { value };
}

function problemWith(setting: Setting<unknown>, kind: ConfigProblem['kind'], problem: string): Outcome<never> {
  const { variable, expectation, example } = setting;
  return { problems: [{ variable, kind, problem, expectation, example }] };
}

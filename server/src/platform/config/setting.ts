import { readFileSync } from 'node:fs';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import { describeUnreadable } from './unreadable-file.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A part of the configuration. */
export interface Reading<T> {
  /** All settings that can be read. A part is configured if the first of them is set. */
  readonly settings: readonly Setting<unknown>[];
  /** Returns the value. Throws a `ConfigError` that lists every problem. */
  readonly read: (environment: Environment) => T;
}

/** The documentation of a setting for operators. */
export interface SettingDetails {
  readonly expectation: string;
  readonly example: string;
  /** The purpose, if the expectation only describes the format. For docs/reference. */
  readonly purpose?: string;
  /** The reason to mount it as a file: it is a credential, or a certificate. */
  readonly secret?: 'credential' | 'certificate';
  /** A description of what applies if nothing is set and there is no fallback value. For docs/reference. */
  readonly otherwise?: string;
}

/** A setting from its variable, or from the file named by the variable with the suffix `_FILE`. */
export class Setting<T> implements Reading<T> {
  readonly variable: string;
  readonly details: SettingDetails;
  /** The value if nothing is set. A setting without a fallback is required. */
  readonly fallback: T | undefined;
  readonly settings: readonly Setting<unknown>[] = [this];
  readonly #parse: (text: string) => T | undefined;

  constructor(variable: string, parse: (text: string) => T | undefined, details: SettingDetails, fallback?: T) {
    this.variable = variable;
    this.details = details;
    this.fallback = fallback;
    this.#parse = parse;
  }

  get fileVariable(): string {
    return `${this.variable}_FILE`;
  }

  isSet(environment: Environment): boolean {
    return [this.variable, this.fileVariable].some((variable) => given(environment, variable) !== undefined);
  }

  read(environment: Environment): T {
    const text = given(environment, this.variable);
    const file = given(environment, this.fileVariable);
    if (text !== undefined) return this.#parsed(text, 'is not valid');
    if (file !== undefined) return this.#readFile(file);
    if (this.fallback === undefined) throw this.#toError('missing', 'is not set');
    return this.fallback;
  }

  /** Returns the value, or undefined if it is not set or not valid. */
  find(environment: Environment): T | undefined {
    try {
      return this.read(environment);
    } catch {
      return undefined;
    }
  }

  /** Returns the error for a value that cannot be used. */
  refusal(problem: string): ConfigError {
    return this.#toError('invalid', problem);
  }

  #readFile(file: string): T {
    const source = { variable: this.fileVariable, example: `/run/secrets/${this.variable.toLowerCase()}` };
    let text: string;
    try {
      text = readFileSync(file, 'utf8').trim();
    } catch (error) {
      throw this.#toError('invalid', describeUnreadable(file, error), source);
    }
    return this.#parsed(text, 'names a file with content that is not valid', source);
  }

  #parsed(text: string, problem: string, source?: Partial<ConfigProblem>): T {
    const value = this.#parse(text);
    if (value === undefined) throw this.#toError('invalid', problem, source);
    return value;
  }

  #toError(kind: ConfigProblem['kind'], problem: string, source: Partial<ConfigProblem> = {}): ConfigError {
    const { expectation, example } = this.details;
    return new ConfigError([{ variable: this.variable, kind, problem, expectation, example, ...source }]);
  }
}

/**
 * Returns the value of a variable. An empty value counts as not set, because shells and compose files pass missing
 * values as empty text.
 */
function given(environment: Environment, variable: string): string | undefined {
  const text = environment[variable];
  return text === '' ? undefined : text;
}

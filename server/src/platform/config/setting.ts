import { readFileSync } from 'node:fs';

/** One setting: where it comes from, what it must look like, and how an operator finds out. */
export interface Setting<T> {
  readonly variable: string;
  readonly expectation: string;
  readonly example: string;
  /** Undefined means that the text does not meet the expectation. */
  readonly parse: (text: string) => T | undefined;
  /** Used when nothing is set; a setting without one is required. */
  readonly fallback?: T;
}

export interface ConfigProblem {
  readonly variable: string;
  readonly problem: string;
  readonly expectation: string;
  readonly example: string;
}

/** Every problem of a configuration at once, so that it is put right in one go. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(
      ({ variable, problem, expectation, example }) =>
        `  ${variable} ${problem}: ${expectation}.\n    Example: ${variable}=${example}`,
    );
    super(
      `The configuration is incomplete or not valid:\n${lines.join('\n')}\nSecrets can also be read from a file named in <VARIABLE>_FILE.`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** What was read before `finish` has told that all of it is there. */
export type Unfinished<T> = { readonly [Key in keyof T]: T[Key] | undefined };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads settings and collects what is wrong with them. */
export class SettingReader {
  readonly #environment: Environment;
  readonly #problems: ConfigProblem[] = [];

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** The value; undefined when there is none, which `finish` then reports. */
  read<T>(setting: Setting<T>): T | undefined {
    const text = this.#given(setting.variable);
    const file = this.#given(fileVariable(setting));
    if (text !== undefined) return this.#parse(setting, text);
    if (file !== undefined) return this.#readFile(setting, file);
    if (setting.fallback === undefined) this.#report(setting, 'is not set');
    return setting.fallback;
  }

  /** The value where there is one; that there is none is no problem. */
  readOptional<T>(setting: Setting<T>): T | undefined {
    return this.has(setting) ? this.read(setting) : undefined;
  }

  has(setting: Setting<unknown>): boolean {
    return this.#given(setting.variable) !== undefined || this.#given(fileVariable(setting)) !== undefined;
  }

  /** Throws when anything was wrong; afterwards every value that was read is there. */
  finish(): void {
    if (this.#problems.length > 0) throw new ConfigError(this.#problems);
  }

  /** An empty variable is one that is not set: shells and compose files pass on what they do not have like that. */
  #given(variable: string): string | undefined {
    const text = this.#environment[variable];
    return text === '' ? undefined : text;
  }

  #parse<T>(setting: Setting<T>, text: string): T | undefined {
    const value = setting.parse(text);
    if (value === undefined) this.#report(setting, 'is not valid');
    return value;
  }

  #readFile<T>(setting: Setting<T>, file: string): T | undefined {
    const variable = fileVariable(setting);
    const source = { ...setting, variable, example: `/run/secrets/${setting.variable.toLowerCase()}` };
    try {
      const value = setting.parse(readFileSync(file, 'utf8').trim());
      if (value === undefined) this.#report(source, 'names a file with content that is not valid');
      return value;
    } catch {
      this.#report(source, 'names a file that cannot be read');
      return undefined;
    }
  }

  #report(setting: Omit<ConfigProblem, 'problem'>, problem: string): void {
    const { variable, expectation, example } = setting;
    this.#problems.push({ variable, problem, expectation, example });
  }
}

function fileVariable({ variable }: Setting<unknown>): string {
  return `${variable}_FILE`;
}

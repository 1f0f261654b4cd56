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
      `The configuration is not complete:\n${lines.join('\n')}\nA secret can also come from a file named in <VARIABLE>_FILE.`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

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
    const text = this.#textOf(setting);
    if (text === undefined) {
      if (setting.fallback === undefined) this.#report(setting, 'is not set');
      return setting.fallback;
    }
    const value = setting.parse(text);
    if (value === undefined) this.#report(setting, 'is not valid');
    return value;
  }

  has(variable: string): boolean {
    return this.#environment[variable] !== undefined || this.#environment[`${variable}_FILE`] !== undefined;
  }

  /** Throws when anything was wrong; afterwards every value that was read is there. */
  finish(): void {
    if (this.#problems.length > 0) throw new ConfigError(this.#problems);
  }

  #textOf(setting: Setting<unknown>): string | undefined {
    const direct = this.#environment[setting.variable];
    const file = this.#environment[`${setting.variable}_FILE`];
    if (direct !== undefined || file === undefined) return direct === '' ? undefined : direct;
    try {
      return readFileSync(file, 'utf8').trim();
    } catch {
      this.#report({ ...setting, variable: `${setting.variable}_FILE` }, 'names a file that cannot be read');
      return undefined;
    }
  }

  #report(setting: Setting<unknown>, problem: string): void {
    const { variable, expectation, example } = setting;
    this.#problems.push({ variable, problem, expectation, example });
  }
}

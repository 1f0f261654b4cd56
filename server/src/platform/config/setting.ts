/** A setting, with its source, its format and its documentation for operators. */
export interface Setting<T> {
  readonly variable: string;
  readonly expectation: string;
  readonly example: string;
  /** Parses the text. Returns undefined if the text does not meet the expectation. */
  readonly parse: (text: string) => T | undefined;
  /** The value if nothing is set. A setting without a fallback is required. */
  readonly fallback?: T;
  /** The purpose, if the expectation only describes the format. For docs/reference. */
  readonly purpose?: string;
  /** A description of what applies if nothing is set and there is no fallback value. For docs/reference. */
  readonly otherwise?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the variable that names a file with the value of a setting. */
export function fileVariable({ variable }: Pick<Setting<unknown>, 'variable'>): string {
  return `${variable}_FILE`;
}

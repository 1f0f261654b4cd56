/** One setting: where it comes from, what it must look like, and how an operator finds out. */
export interface Setting<T> {
  readonly variable: string;
  readonly expectation: string;
  readonly example: string;
  /** Undefined means that the text does not meet the expectation. */
  readonly parse: (text: string) => T | undefined;
  /** Used when nothing is set; a setting without one is required. */
  readonly fallback?: T;
  /** What it is for, if the expectation only says what it looks like. For docs/reference. */
  readonly purpose?: string;
  /** What applies when nothing is set, if that is not a value of its own. For docs/reference. */
  readonly otherwise?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting whose value is in the file that this variable names. */
export function fileVariable({ variable }: Pick<Setting<unknown>, 'variable'>): string {
  return `${variable}_FILE`;
}

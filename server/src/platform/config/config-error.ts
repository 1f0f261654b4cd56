export interface ConfigProblem {
  readonly variable: string;
  readonly kind: 'missing' | 'invalid';
  readonly problem: string;
  readonly expectation: string;
  readonly example: string;
}

/** An error that lists every problem in a configuration, so that all of them can be fixed at once. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(
      ({ variable, problem, expectation, example }) =>
        `  ${variable} ${problem}: ${expectation}.\n    Example: ${variable}=${example}`,
    );
    super(
      `The configuration is ${verdictOn(problems)}:\n${lines.join('\n')}\nA secret can also come from a file named in <VARIABLE>_FILE.`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

function verdictOn(problems: readonly ConfigProblem[]): string {
  const isMissing = problems.some(({ kind }) => kind === 'missing');
  const isInvalid = problems.some(({ kind }) => kind === 'invalid');
  if (isMissing && isInvalid) return 'neither complete nor valid';
  return isInvalid ? 'not valid' : 'not complete';
}

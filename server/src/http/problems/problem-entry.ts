export interface ProblemEntry {
  readonly status: number;
  readonly title: string;
  /** A description of what happened, for the page at `/docs/errors/<code>`. `remedy` says what to do about it. */
  readonly meaning: string;
  readonly remedy: string;
}

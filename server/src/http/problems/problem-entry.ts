export interface ProblemEntry {
  readonly status: number;
  readonly title: string;
  /** What happened and what to do about it, for the page at `/docs/errors/<code>`. */
  readonly meaning: string;
  readonly remedy: string;
}

/** The state of an element that a page may know. */
export interface ElementState {
  readonly empty: boolean;
  readonly complete: boolean;
  /**
   * Absent for a value that was filled in by reference, because a page could use the checks to learn about the value.
   */
  readonly valid?: boolean;
  readonly maskSatisfied?: boolean;
  readonly errors?: readonly FieldError[];
  readonly cardBrand?: string;
  readonly cardBin?: string;
  readonly cardLast4?: string;
}

/** The reason why a value is not accepted. */
export type ProblemReason = 'empty' | 'incomplete' | 'checksum' | 'expired' | 'brand' | 'invalid';

/** A reason, with a sentence for the person who types. */
export interface FieldProblem {
  readonly targetId: string;
  readonly reason: ProblemReason;
  readonly message: string;
}

export interface FieldError {
  readonly targetId: string;
  readonly type: 'incomplete' | 'invalid';
}

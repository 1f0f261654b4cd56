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

export interface FieldError {
  readonly targetId: string;
  readonly type: 'incomplete' | 'invalid';
}

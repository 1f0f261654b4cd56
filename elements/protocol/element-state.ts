/** What a page may know about what was typed. */
export interface ElementState {
  readonly empty: boolean;
  readonly complete: boolean;
  /** Absent for a value that the page has filled in by reference: checks would answer its questions about the value. */
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

import type { FieldError } from '../protocol/element-state.ts';

/** What was typed is not complete or not valid. */
export class BasisTheoryValidationError<Details = Record<string, unknown>> extends Error {
  override readonly name = 'BasisTheoryValidationError';
  /** The errors, each in the place of its element in the payload. */
  readonly details: Details;
  readonly validation: readonly FieldError[];

  constructor(message: string, details: Details, validation: readonly FieldError[] = []) {
    super(message);
    this.details = details;
    this.validation = validation;
  }
}

/** The vault has refused a request. */
export class BasisTheoryApiError extends Error {
  override readonly name = 'BasisTheoryApiError';
  readonly status: number;
  readonly data: unknown;

  constructor(message: string, status: number, data?: unknown) {
    super(message);
    this.status = status;
    this.data = data;
  }
}

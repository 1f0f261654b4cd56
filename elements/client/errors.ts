import type { FieldError } from '../protocol/element-state.ts';

/** Thrown if the typed value is incomplete or invalid. */
export class BasisTheoryValidationError<Details = Record<string, unknown>> extends Error {
  override readonly name = 'BasisTheoryValidationError';
  /** The errors, each at the position of its element in the payload. */
  readonly details: Details;
  readonly validation: readonly FieldError[];

  constructor(message: string, details: Details, validation: readonly FieldError[] = []) {
    super(message);
    this.details = details;
    this.validation = validation;
  }
}

/** Thrown if the vault rejects a request. */
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

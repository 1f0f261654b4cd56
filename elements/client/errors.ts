import type { FieldError } from '../protocol/element-state.ts';

/** The beginning of the names of errors. Pages of the published clients look for theirs. */
export type ErrorPrefix = 'Strongroom' | 'BasisTheory';

/** Thrown if the typed value is incomplete or invalid. */
export class StrongroomValidationError<Details = Record<string, unknown>> extends Error {
  override readonly name: `${ErrorPrefix}ValidationError`;
  /** The errors, each at the position of its element in the payload. */
  readonly details: Details;
  readonly validation: readonly FieldError[];

  constructor(
    message: string,
    details: Details,
    validation: readonly FieldError[] = [],
    prefix: ErrorPrefix = 'Strongroom',
  ) {
    super(message);
    this.name = `${prefix}ValidationError`;
    this.details = details;
    this.validation = validation;
  }
}

/** Thrown if the vault rejects a request. */
export class StrongroomApiError extends Error {
  override readonly name: `${ErrorPrefix}ApiError`;
  readonly status: number;
  readonly data: unknown;

  constructor(message: string, status: number, data?: unknown, prefix: ErrorPrefix = 'Strongroom') {
    super(message);
    this.name = `${prefix}ApiError`;
    this.status = status;
    this.data = data;
  }
}

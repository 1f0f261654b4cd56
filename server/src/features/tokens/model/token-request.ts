import type { Sensitive } from '../../../core/identity/sensitive.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import type { Metadata } from './token.ts';
import { DomainError, type FieldErrors, invalidField } from '../../../core/errors/domain-error.ts';
import { ExpressionError } from '../../../core/expressions/expression-error.ts';

/** A request for a token as received. Its shape is valid, but its contents are not yet checked. */
export interface TokenRequest {
  /**
   * The position in the request body, for messages. It is empty if the request is for one token, or `cards.0` inside a
   * larger one.
   */
  readonly path: string;
  readonly id: string | undefined;
  readonly type: string;
  readonly data: Sensitive<JsonValue>;
  /** The JSON text of `data` as sent. */
  readonly dataText: Sensitive<string>;
  readonly mask: JsonValue | undefined;
  readonly containers: readonly string[] | undefined;
  readonly metadata: Metadata | undefined;
  readonly searchIndexes: readonly string[] | undefined;
  readonly fingerprintExpression: string | undefined;
  readonly deduplicate: boolean | undefined;
  readonly expiresAt: string | undefined;
  /** Set if the data was found through a reference. The caller may not know it. */
  readonly from?: DataReference;
}

/** What a request for a token refers to instead of containing data. */
export interface DataReference {
  readonly kind: 'encrypted' | 'intent';
  /** The encrypted data, or the id of a token intent. */
  readonly text: string;
}

/**
 * A request for a token whose data has yet to be found. The type is undefined if a token intent determines it.
 */
export type ReferringRequest = Omit<TokenRequest, 'type' | 'data' | 'dataText' | 'from'> & {
  readonly type: string | undefined;
  readonly from: DataReference;
};

export function isReferring(request: TokenRequest | ReferringRequest): request is ReferringRequest {
  return !('data' in request);
}

/** A merge patch of a token (RFC 7386). Undefined leaves a field unchanged, and null resets it to its default. */
export interface TokenPatch {
  /** This must equal the stored type, which never changes. */
  readonly type?: string | undefined;
  readonly data: Sensitive<JsonValue> | undefined;
  /** The JSON text of `data` as sent. */
  readonly dataText: Sensitive<string> | undefined;
  readonly mask: JsonValue | undefined;
  readonly metadata: Readonly<Record<string, string | null>> | null | undefined;
  readonly containers: readonly string[] | null | undefined;
  readonly searchIndexes: readonly string[] | null | undefined;
  readonly fingerprintExpression: string | null | undefined;
  readonly deduplicate: boolean | undefined;
  readonly expiresAt: string | null | undefined;
}

/** Joins `cards.0` and `data.number` into `cards.0.data.number`. An empty path adds nothing. */
export function joinPath(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

export function invalidAt(path: string, field: string, message: string): DomainError {
  return invalidField(joinPath(path, field), message);
}

export function requireNoFieldErrors(path: string, errors: FieldErrors | undefined): void {
  if (errors !== undefined) throw fieldErrorsAt(path, errors);
}

export function fieldErrorsAt(path: string, errors: FieldErrors): DomainError {
  const fields = Object.fromEntries(
    Object.entries(errors).map(([field, messages]) => [joinPath(path, field), messages]),
  );
  return new DomainError('validation-failed', 'The request did not pass validation.', { fields });
}

/** Turns an expression error into a field error. Its message contains neither the expression nor a value. */
export function namingField<T>(path: string, field: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asFieldError(path, field, error);
  }
}

/** Does the same as `namingField` for asynchronous work. */
export async function namingFieldOf<T>(field: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asFieldError('', field, error);
  }
}

function asFieldError(path: string, field: string, error: unknown): unknown {
  return error instanceof ExpressionError ? invalidAt(path, [field, ...error.path].join('.'), error.message) : error;
}

/** Every way a request can fail by design. `http/problem-catalog.ts` gives each its status, title and page. */
export type ErrorCode =
  | 'validation-failed'
  | 'malformed-json'
  | 'malformed-request'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'request-timeout'
  | 'token-id-taken'
  | 'nonce-used'
  | 'version-conflict'
  | 'idempotency-in-flight'
  | 'idempotency-answer-not-kept'
  | 'already-invited'
  | 'already-a-member'
  | 'page-too-large'
  | 'too-many-container-sets'
  | 'body-too-large'
  | 'unsupported-media-type'
  | 'header-too-large'
  | 'owner-undeletable'
  | 'rate-limited'
  | 'destination-refused'
  | 'destination-timeout'
  | 'destination-failed'
  | 'too-many-calls'
  | 'overloaded'
  | 'key-service-unavailable'
  | 'internal-error';

/** Messages by field path, in the shape the problem document carries them. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export interface DomainErrorDetails {
  /** What an operator needs and a caller must not see. */
  readonly cause?: unknown;
  readonly fields?: FieldErrors;
  /** What access was denied to, where it is known. */
  /** The denial is already in the audit log. */
  readonly isRecorded?: boolean;
  readonly denied?: { readonly id: string; readonly containers: readonly string[] };
}

/**
 * The one error that crosses layers. `message` is sent to the caller unchanged, so it never contains a submitted or
 * stored value; whatever helps an operator goes into `cause`, which stays in the process.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly fields: FieldErrors | undefined;
  readonly denied: DomainErrorDetails['denied'];
  readonly isRecorded: boolean;

  constructor(code: ErrorCode, message: string, details: DomainErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'DomainError';
    this.code = code;
    this.fields = details.fields;
    this.denied = details.denied;
    this.isRecorded = details.isRecorded === true;
  }
}

/** A single invalid field; use `DomainError` directly to report several at once. */
export function invalidField(path: string, message: string): DomainError {
  return new DomainError('validation-failed', 'The request did not pass validation.', {
    fields: { [path]: [message] },
  });
}

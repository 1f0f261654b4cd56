/** Every way a request can fail by design. `http/problems/problem-catalog.ts` gives each its status, title and page. */
export type ErrorCode =
  | 'validation-failed'
  | 'malformed-json'
  | 'malformed-request'
  | 'unauthenticated'
  | 'tenant-deleted'
  | 'forbidden'
  | 'sign-in-too-old'
  | 'sign-in-way-required'
  | 'awaiting-approval'
  | 'not-found'
  | 'not-served'
  | 'method-not-allowed'
  | 'request-timeout'
  | 'token-id-taken'
  | 'nonce-used'
  | 'version-conflict'
  | 'record-not-sealed'
  | 'record-not-provable'
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
  | 'standby-missing'
  | 'key-service-unavailable'
  | 'internal-error';

/** Messages by field path, in the shape the problem document carries them. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export interface DomainErrorDetails {
  /** What an operator needs and a caller must not see. */
  readonly cause?: unknown;
  readonly fields?: FieldErrors;
  /** The failure is in the audit log already. */
  readonly isRecorded?: boolean;
  /** What access was denied to, where it is known. */
  readonly denied?: { readonly id: string; readonly containers: readonly string[] };
  /** What the request named and does not exist. `not-found` says so by itself. */
  readonly missing?: Missing;
  /** The failure tells that this exists; the id is given only if it is safe to record. */
  readonly found?: { readonly id?: string };
}

/** How many of the things that a request named there are not, how many there are, and which one if it is one that was there. */
export interface Missing {
  readonly count: number;
  readonly found?: number;
  readonly id?: string;
}

/**
 * The one error that crosses layers. `message` is sent to the caller unchanged, so it never contains a submitted or
 * stored value; whatever helps an operator goes into `cause`, which stays in the process.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly fields: FieldErrors | undefined;
  readonly denied: DomainErrorDetails['denied'];
  readonly missing: Missing | undefined;
  readonly found: DomainErrorDetails['found'];
  readonly isRecorded: boolean;

  constructor(code: ErrorCode, message: string, details: DomainErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'DomainError';
    this.code = code;
    this.fields = details.fields;
    this.denied = details.denied;
    this.missing = details.missing ?? (code === 'not-found' ? { count: 1 } : undefined);
    this.found = details.found;
    this.isRecorded = details.isRecorded === true;
  }
}

/** A single invalid field; use `DomainError` directly to report several at once. */
export function invalidField(path: string, message: string): DomainError {
  return new DomainError('validation-failed', 'The request did not pass validation.', {
    fields: { [path]: [message] },
  });
}

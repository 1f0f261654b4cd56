/**
 * The ways in which a request can fail by design. `http/problems/problem-catalog.ts` gives each its status, title and
 * page.
 */
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
  | 'other-cell'
  | 'token-id-taken'
  | 'nonce-used'
  | 'version-conflict'
  | 'legal-hold'
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
  | 'tenant-moving'
  | 'internal-error';

/** Messages by field path, in the same shape as in the problem document. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export interface DomainErrorDetails {
  /** Details that an operator needs and a caller must not see. */
  readonly cause?: unknown;
  readonly fields?: FieldErrors;
  /** True if the failure is already in the audit log. */
  readonly isRecorded?: boolean;
  /** The token that access was denied to, if it is known. */
  readonly denied?: { readonly id: string; readonly containers: readonly string[] };
  /** The things named in the request that do not exist. It can be omitted for `not-found`. */
  readonly missing?: Missing;
  /** Present if the failure reveals that something exists. The id is given only if it is safe to record. */
  readonly found?: { readonly id?: string };
  /** The cell that the request belongs to, if it is not this one. */
  readonly cell?: string;
}

/**
 * The number of named things that do not exist, and the number of those that do. `id` is set if the missing thing
 * existed before.
 */
export interface Missing {
  readonly count: number;
  readonly found?: number;
  readonly id?: string;
}

/**
 * The only error that crosses layers. `message` is sent to the caller unchanged, so it never contains a submitted or
 * stored value. Details for an operator go into `cause`, which stays in the process.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly fields: FieldErrors | undefined;
  readonly denied: DomainErrorDetails['denied'];
  readonly missing: Missing | undefined;
  readonly found: DomainErrorDetails['found'];
  readonly cell: string | undefined;
  readonly isRecorded: boolean;

  constructor(code: ErrorCode, message: string, details: DomainErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'DomainError';
    this.code = code;
    this.fields = details.fields;
    this.denied = details.denied;
    this.missing = details.missing ?? (code === 'not-found' ? { count: 1 } : undefined);
    this.found = details.found;
    this.cell = details.cell;
    this.isRecorded = details.isRecorded === true;
  }
}

/** Creates an error for a single invalid field. Use `DomainError` directly to report several at once. */
export function invalidField(path: string, message: string): DomainError {
  return new DomainError('validation-failed', 'The request did not pass validation.', {
    fields: { [path]: [message] },
  });
}

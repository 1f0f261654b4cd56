import { codeOf } from '../../core/errors/thrown.ts';
import { DomainError, type ErrorCode, type FieldErrors } from '../../core/errors/domain-error.ts';
import { problemCatalog } from './problem-catalog.ts';

/** RFC 9457 problem details. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  /** The BT-TRACE-ID of the response. The server's log has a line with the same id. */
  readonly trace_id: string;
  readonly errors?: FieldErrors;
  /** The cell that a request belongs to, if it was sent to another. */
  readonly cell?: string;
}

/** The `instance` of a request that reached no route. */
export const unknownRoute = 'unknown';

export const problemContentType = 'application/problem+json; charset=utf-8';

/**
 * Returns the problem for an error. `instance` names the route, not the requested path, for two reasons: a path can
 * contain a value that was pasted into it, and two ids that do not exist must give identical responses.
 */
export function toProblem(
  error: DomainError,
  { instance, traceId, effect }: { instance: string; traceId: string; effect?: string },
): Problem {
  const { status, title } = problemCatalog[error.code];
  return {
    type: problemType(error.code),
    title,
    status,
    detail: effect === undefined ? error.message : `${error.message} ${effect}`,
    instance,
    trace_id: traceId,
    ...(error.fields === undefined ? {} : { errors: error.fields }),
    ...(error.cell === undefined ? {} : { cell: error.cell }),
  };
}

export function problemType(code: ErrorCode): string {
  return `/docs/errors/${code}`;
}

/** Turns any thrown value into a domain error. The result reveals nothing about an unexpected error. */
export function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const code = frameworkCodes.get(codeOf(error));
  if (code !== undefined) return new DomainError(code, problemCatalog[code].meaning, { cause: error });
  return new DomainError('internal-error', 'The request could not be handled.', { cause: error });
}

const frameworkCodes: ReadonlyMap<unknown, ErrorCode> = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'body-too-large'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'unsupported-media-type'],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'malformed-json'],
  ['FST_ERR_BAD_URL', 'not-found'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'not-found'],
]);

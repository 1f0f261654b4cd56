import type { ErrorCode } from '../core/errors/domain-error.ts';
import { inMebibytes } from '../core/text/byte-size.ts';
import { tokenLimits, tokenQueryLimits } from '../core/token-limits.ts';

export interface ProblemEntry {
  readonly status: number;
  readonly title: string;
  /** What happened, and what to do about it: the page at `/docs/errors/<code>`. */
  readonly meaning: string;
  readonly remedy: string;
}

/** The one table that turns an error code into a response and a page. */
export const problemCatalog: Readonly<Record<ErrorCode, ProblemEntry>> = {
  'validation-failed': {
    status: 400,
    title: 'One or more validation errors occurred.',
    meaning: 'A field of the body, the query or an expression does not have the form that the endpoint takes.',
    remedy: 'Read `errors` in the answer: it names each field by its path and says what is expected there.',
  },
  'malformed-json': {
    status: 400,
    title: 'The request body is not valid JSON.',
    meaning: 'The body could not be read as JSON in UTF-8, repeats a member name, or is nested too deeply.',
    remedy:
      'The offset in `detail` counts characters from the start of the body. Correct the text there and send it again.',
  },
  'malformed-request': {
    status: 400,
    title: 'Bad Request',
    meaning: 'The request is not valid HTTP, or it ended before its body was complete.',
    remedy: 'Check the client, and what stands between it and the vault: it sends something that HTTP does not allow.',
  },
  'page-too-large': {
    status: 400,
    title: 'Bad Request',
    meaning: `The tokens of the requested page hold more than ${inMebibytes(tokenQueryLimits.pageBytesMax)} of data together. A numbered page cannot end early: the next one begins at a fixed position, so tokens would be left out.`,
    remedy:
      'Ask for a smaller `size`; a page of one token always works. Or use GET /v2/tokens or POST /v2/tokens/search, whose pages end early and continue with `next`.',
  },
  'too-many-container-sets': {
    status: 400,
    title: 'Bad Request',
    meaning:
      'The token would be the first of its type in this combination of containers, and the tenant may not have more combinations: either the tenant is at its limit, or its public and session keys have created as many today as they may.',
    remedy:
      'Use containers for what access rules govern and metadata for what is unique to a customer or an order. Tokens go into existing combinations without limit, and a combination is forgotten some time after its last token is deleted. Operators: see STRONGROOM_CONTAINER_SETS_MAX and STRONGROOM_CONTAINER_SETS_PUBLIC_DAILY_MAX.',
  },
  unauthenticated: {
    status: 401,
    title: 'Unauthorized',
    meaning: 'The BT-API-KEY header is missing, or its key is unknown, revoked or expired.',
    remedy:
      'Send the key of an application in the BT-API-KEY header. A key is shown once, when it is created; make a new one if it is lost.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    meaning: 'The key is valid, but its application does not hold the permission for this operation on this container.',
    remedy:
      'The permission and the container are named in `detail`. Grant them to the application, or use another key.',
  },
  'not-found': {
    status: 404,
    title: 'Not Found',
    meaning:
      'Nothing with this id exists for the tenant of the key, or the path is not part of the API, or not with this HTTP method.',
    remedy:
      'Check the id, the path, the method and that the key belongs to the right tenant. Expired and deleted tokens are gone for good.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request Timeout',
    meaning: 'The request did not arrive completely within the time allowed.',
    remedy: 'Send it again over a better connection, or make the body smaller.',
  },
  'token-id-taken': {
    status: 409,
    title: 'Conflict',
    meaning: 'A token with this id exists already.',
    remedy: 'Choose another id, or leave it out and let the vault assign one.',
  },
  'nonce-used': {
    status: 409,
    title: 'Conflict',
    meaning: 'The session with this nonce has been authorized already. A nonce works once.',
    remedy: 'Create a new session and authorize that one.',
  },
  'version-conflict': {
    status: 409,
    title: 'Conflict',
    meaning: 'The token was changed by others several times while this request was handled.',
    remedy: 'Send the request again.',
  },
  'idempotency-in-flight': {
    status: 409,
    title: 'Conflict',
    meaning: 'A request with the same BT-IDEMPOTENCY-KEY is being handled at this moment.',
    remedy:
      'Wait a moment and send it again: once the first request has succeeded, its outcome is shown; if it has failed, yours is handled.',
  },
  'idempotency-answer-not-kept': {
    status: 409,
    title: 'Conflict',
    meaning:
      'A request with the same BT-IDEMPOTENCY-KEY was or may have been done, but its outcome was not kept: it was larger than 1 MiB, from before an upgrade, or the database did not confirm it.',
    remedy: 'Nothing was done again. Look up what the first request made, or use a new key to do it a second time.',
  },
  'already-invited': {
    status: 409,
    title: 'Conflict',
    meaning: 'There is an invitation for this e-mail address already, pending or expired.',
    remedy: 'Resend that invitation, or delete it and create a new one.',
  },
  'already-a-member': {
    status: 409,
    title: 'Conflict',
    meaning: 'A user with this e-mail address is a member of the tenant already.',
    remedy: 'Nothing has to be done. Change the role of the member if that is what was wanted.',
  },
  'body-too-large': {
    status: 413,
    title: 'Payload Too Large',
    meaning: `The body is larger than the limit of ${inMebibytes(tokenLimits.sizeBytesMax)}.`,
    remedy: 'Split the request into several smaller ones.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported Media Type',
    meaning: 'The Content-Type header is missing or names a format that this endpoint does not take.',
    remedy: 'Send `Content-Type: application/json`; updating a token takes `application/merge-patch+json`.',
  },
  'header-too-large': {
    status: 431,
    title: 'Request Header Fields Too Large',
    meaning: 'The header of the request is larger than the limit of 16 KiB.',
    remedy: 'Send fewer or shorter header fields; cookies are not needed here.',
  },
  'owner-undeletable': {
    status: 422,
    title: 'Unprocessable Entity',
    meaning: 'The owner of a tenant cannot be removed from it.',
    remedy: 'Make another member the owner first.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too Many Requests',
    meaning: 'More requests came from the address of the client than its limit allows. It is refused for 10 seconds.',
    remedy:
      'Wait for the seconds in Retry-After. RateLimit-Policy names the limit (`q` requests in `w` seconds), X-RateLimit-Reset the moment at which counting begins anew. Operators: see STRONGROOM_RATE_LIMITS and STRONGROOM_TRUSTED_PROXIES.',
  },
  'destination-refused': {
    status: 403,
    title: 'Forbidden',
    meaning:
      'The proxy does not call this destination: the application or the installation does not allow its host, or its name leads to an address that is not public.',
    remedy:
      'Add the host to `allowed_destinations` of the application. Operators name private ranges, ports and hosts in the settings of the server.',
  },
  'destination-timeout': {
    status: 408,
    title: 'Request Timeout',
    meaning:
      'The destination of a proxy call did not answer within 25 seconds. It may have acted on the request all the same.',
    remedy: 'Ask the destination what became of the request before you repeat it, or give it an idempotency key.',
  },
  'destination-failed': {
    status: 502,
    title: 'Bad Gateway',
    meaning:
      'The destination of a proxy call could not be reached, did not prove its name, or did not answer with valid HTTP.',
    remedy:
      'Read `detail`. When the connection broke off after the request was sent, the destination may have acted on it.',
  },
  'too-many-calls': {
    status: 429,
    title: 'Too Many Requests',
    meaning: 'The tenant has reached its limit of concurrent proxy calls or log exports on this server.',
    remedy: 'Wait for the seconds in Retry-After and send it again.',
  },
  overloaded: {
    status: 503,
    title: 'Service Unavailable',
    meaning:
      'The vault, or the database behind it, cannot take this request at the moment. A write may or may not have happened.',
    remedy:
      'Wait for the seconds in Retry-After and send it again. Give creates an id of your own to make a repeat safe.',
  },
  'key-service-unavailable': {
    status: 503,
    title: 'Service Unavailable',
    meaning: 'The key management service has been out of reach for longer than keys are kept in memory.',
    remedy:
      'Wait for the seconds in Retry-After and send it again. Operators: check the KMS or HSM and `strongroom doctor`.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal Server Error',
    meaning:
      'The vault met a situation that it was not built for. Nothing about the request was revealed or half stored.',
    remedy: 'Report it with the BT-TRACE-ID of the answer: the server log has an entry with the same id.',
  },
};

import type { ErrorCode } from '../../core/errors/domain-error.ts';
import { inMebibytes } from '../../core/text/byte-size.ts';
import { tokenLimits, tokenQueryLimits } from '../../core/token-limits.ts';
import type { ProblemEntry } from './problem-entry.ts';
import { refusalCatalog } from './refusal-catalog.ts';

/** The table that turns an error code into a response and a page. */
export const problemCatalog: Readonly<Record<ErrorCode, ProblemEntry>> = {
  'validation-failed': {
    status: 400,
    title: 'One or more validation errors occurred.',
    meaning: 'A field in the body or the query, or an expression, is not in the form that the endpoint accepts.',
    remedy: 'See `errors` in the response: it lists each invalid field by its path, with what is expected there.',
  },
  'malformed-json': {
    status: 400,
    title: 'The request body is not valid JSON.',
    meaning: 'The body is not valid JSON in UTF-8, repeats a member name, or is nested too deeply.',
    remedy:
      'The offset in `detail` counts characters from the start of the body. Correct the body at that position and retry.',
  },
  'malformed-request': {
    status: 400,
    title: 'Bad Request',
    meaning: 'The request is not valid HTTP, or it ended before its body was complete.',
    remedy: 'Check the client and any proxy between it and the vault.',
  },
  'page-too-large': {
    status: 400,
    title: 'Bad Request',
    meaning: `The tokens of the requested page hold more than ${inMebibytes(tokenQueryLimits.pageBytesMax)} of data together. A numbered page cannot end early: the next one begins at a fixed position, so tokens would be left out.`,
    remedy:
      'Request a smaller `size`; a page of one token always works. Or use GET /v2/tokens or POST /v2/tokens/search, whose pages end early and continue with `next`.',
  },
  'too-many-container-sets': {
    status: 400,
    title: 'Bad Request',
    meaning:
      'The token would be the first of its type in this combination of containers, and the tenant cannot have more combinations: either the tenant has reached its limit, or its public and session keys have reached their daily limit.',
    remedy:
      'Use containers for access control, and metadata for anything unique to a customer or an order. Existing combinations take any number of tokens, and a combination stops counting some time after its last token is deleted. Operators: see STRONGROOM_CONTAINER_SETS_MAX and STRONGROOM_CONTAINER_SETS_PUBLIC_DAILY_MAX.',
  },
  ...refusalCatalog,
  'not-found': {
    status: 404,
    title: 'Not Found',
    meaning: 'The tenant has nothing with this id, or the API has no such path.',
    remedy:
      'Check the id and the path, and that the key belongs to the right tenant. Expired and deleted tokens cannot be recovered.',
  },
  'not-served': {
    status: 404,
    title: 'Not Found',
    meaning:
      'The path belongs to a resource of the original API that a vault leaves out on purpose, such as reactors, stored proxies, token intents, 3-D Secure, wallets, network tokens, enrichments, documents or webhooks. No key and no permission changes that.',
    remedy:
      '`detail` says why the resource is left out, or what to use instead. The page Compatibility of the documentation lists all of them under "Not supported".',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method Not Allowed',
    meaning: 'The path is part of the API, but does not support this HTTP method.',
    remedy: 'Use one of the methods that the Allow header of the response lists.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request Timeout',
    meaning: 'The complete request did not arrive within the time limit.',
    remedy: 'Retry over a better connection, or send a smaller body.',
  },
  'token-id-taken': {
    status: 409,
    title: 'Conflict',
    meaning: 'A token with this id already exists.',
    remedy: 'Choose another id, or omit it to have the vault assign one.',
  },
  'nonce-used': {
    status: 409,
    title: 'Conflict',
    meaning: 'The session with this nonce has already been authorized. A nonce can be used only once.',
    remedy: 'Create a new session and authorize it instead.',
  },
  'version-conflict': {
    status: 409,
    title: 'Conflict',
    meaning: 'Other requests kept changing the token while this one was being handled.',
    remedy: 'Retry the request.',
  },
  'legal-hold': {
    status: 409,
    title: 'Conflict',
    meaning: 'A legal hold covers what the request would delete or change. The hold says for which reason.',
    remedy: '`GET /legal-holds` lists the holds. Lift the hold, or wait until it ends.',
  },
  'record-not-sealed': {
    status: 409,
    title: 'Conflict',
    meaning:
      'The record is in the log, but no checkpoint covers it yet. Records are sealed within seconds while `strongroom work` is running.',
    remedy: 'Retry in a few seconds. If it stays so, `strongroom audit verify` names what holds sealing back.',
  },
  'record-not-provable': {
    status: 409,
    title: 'Conflict',
    meaning:
      'The proof needs a part of the log that was dropped after its retention period, or that does not match what was sealed.',
    remedy: 'Run `strongroom audit verify`: it tells the two apart and names the place.',
  },
  'idempotency-in-flight': {
    status: 409,
    title: 'Conflict',
    meaning: 'A request with the same BT-IDEMPOTENCY-KEY is still being handled.',
    remedy:
      'Wait a moment and retry. If the first request succeeds, you get its result; if it fails, yours is handled.',
  },
  'idempotency-answer-not-kept': {
    status: 409,
    title: 'Conflict',
    meaning:
      'A request with the same BT-IDEMPOTENCY-KEY has, or may have, been carried out, but its result was not kept: it was larger than 1 MiB, it dates from before an upgrade, or the database did not confirm it.',
    remedy: 'This request was not carried out. Look up what the first request did, or use a new key to do it again.',
  },
  'already-invited': {
    status: 409,
    title: 'Conflict',
    meaning: 'There is already an invitation, pending or expired, for this e-mail address.',
    remedy: 'Resend that invitation, or delete it and create a new one.',
  },
  'already-a-member': {
    status: 409,
    title: 'Conflict',
    meaning: 'A user with this e-mail address is already a member of the tenant.',
    remedy: 'There is nothing to do, unless you meant to change the role of the member.',
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
    meaning: 'The Content-Type header is missing or names a format that this endpoint does not accept.',
    remedy: 'Send `Content-Type: application/json`, or `application/merge-patch+json` to update a token.',
  },
  'header-too-large': {
    status: 431,
    title: 'Request Header Fields Too Large',
    meaning: 'The request headers exceed the limit of 16 KiB.',
    remedy: 'Send fewer or shorter headers; the API needs no cookies.',
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
    meaning: 'The client address exceeded its request limit and is blocked for 10 seconds.',
    remedy:
      'Wait for the number of seconds in Retry-After. RateLimit-Policy states the limit (`q` requests in `w` seconds), X-RateLimit-Reset the time at which the count is reset. Operators: see STRONGROOM_RATE_LIMITS and STRONGROOM_TRUSTED_PROXIES.',
  },
  'destination-refused': {
    status: 403,
    title: 'Forbidden',
    meaning:
      'The proxy may not call this destination: the application or the server configuration does not allow its host, or its name resolves to an address that is not public.',
    remedy:
      'Add the host to the `allowed_destinations` of the application. Operators allow private ranges, ports and hosts in the server settings.',
  },
  'destination-timeout': {
    status: 408,
    title: 'Request Timeout',
    meaning:
      'The destination of a proxy call did not respond within 25 seconds. It may still have acted on the request.',
    remedy:
      'Before retrying, check with the destination whether it processed the request, or send the destination an idempotency key.',
  },
  'destination-failed': {
    status: 502,
    title: 'Bad Gateway',
    meaning:
      'The destination of a proxy call could not be reached, did not present a valid certificate, or did not respond with valid HTTP.',
    remedy: 'See `detail`. If the connection broke after the request was sent, the destination may have acted on it.',
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
      'The vault or its database cannot handle this request at the moment, or not within its time limit. The end of `detail` says whether it may have taken effect.',
    remedy:
      'Wait for the number of seconds in Retry-After and retry. To make a request safe to retry, send a BT-IDEMPOTENCY-KEY; for a token, choosing its id yourself does the same.',
  },
  'standby-missing': {
    status: 503,
    title: 'Service Unavailable',
    meaning:
      'This vault only acknowledges what a second database has stored as well, and none is attached at the moment. Nothing was changed or disclosed: reading a token is refused too, since its audit record would not be safe.',
    remedy:
      'Wait for the number of seconds in Retry-After and retry. Operators: see the runbook for StrongroomNoSynchronousStandby, and STRONGROOM_REQUIRE_SYNCHRONOUS_STANDBY.',
  },
  'key-service-unavailable': {
    status: 503,
    title: 'Service Unavailable',
    meaning: 'The key management service has been unreachable for longer than keys are cached.',
    remedy:
      'Wait for the number of seconds in Retry-After and retry. Operators: check the KMS or HSM and run `strongroom doctor`.',
  },
  'tenant-moving': {
    status: 503,
    title: 'Service Unavailable',
    meaning:
      'An operator is moving the tenant to another cell, and it is being handed over right now, which takes a second or two. Nothing was changed or disclosed.',
    remedy:
      'Wait for the number of seconds in Retry-After and retry. Afterwards, the tenant is in the other cell, and the response is `other-cell` if a router has not learned of it yet.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal Server Error',
    meaning: 'An unexpected error occurred. Nothing from the request was disclosed or partially stored.',
    remedy: 'Report it with the `trace_id` of the response; the server log has an entry with the same id.',
  },
};

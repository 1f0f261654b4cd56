import type { RouteOptions } from 'fastify';
import type { ErrorCode } from '../../core/errors/domain-error.ts';
import { isRepeatable } from '../requests/idempotency.ts';

/** Codes that all routes can return. They concern the connection, the key, the limits and the vault itself. */
const anywhere: readonly ErrorCode[] = [
  'malformed-request',
  'unauthenticated',
  'forbidden',
  'request-timeout',
  'other-cell',
  'header-too-large',
  'rate-limited',
  'internal-error',
  'overloaded',
  'standby-missing',
  'key-service-unavailable',
  'tenant-moving',
];
const ofBodies: readonly ErrorCode[] = ['body-too-large', 'unsupported-media-type'];
const ofRepetitions: readonly ErrorCode[] = ['idempotency-in-flight', 'idempotency-answer-not-kept'];

/** Codes of failures that are unrelated to the purpose of a route. */
export const commonCodes: ReadonlySet<ErrorCode> = new Set([...anywhere, ...ofBodies, ...ofRepetitions, 'not-found']);

/**
 * Returns every code that a route can return: those of all routes, those that its parts imply, and those that it
 * declares.
 */
export function codesOf({ url, schema, config, method }: RouteOptions): ReadonlySet<ErrorCode> {
  const hasInput = schema?.body !== undefined || schema?.querystring !== undefined;
  const canRepeat = isRepeatable(config, method);
  return new Set<ErrorCode>([
    ...anywhere,
    ...(hasInput || canRepeat ? (['validation-failed'] as const) : []),
    ...(schema?.body === undefined ? [] : (['malformed-json'] as const)),
    ...(/[:*]/.test(url) ? (['not-found'] as const) : []),
    // A body is read even if the route does not use it, and an invalid content type is rejected at once.
    ...(method === 'GET' ? [] : ofBodies),
    ...(canRepeat ? ofRepetitions : []),
    ...(config?.problems ?? []),
  ]);
}

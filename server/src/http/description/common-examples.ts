import type { FastifyContextConfig } from 'fastify';
import { missingPermission } from '../../core/access/decide-access.ts';
import { DomainError, type ErrorCode } from '../../core/errors/domain-error.ts';
import type { ProblemExample } from '../routes/api-examples.ts';
import { otherCell } from '../../core/identity/other-cell.ts';
import { unauthorizedSession } from '../callers/authentication.ts';
import { problemCatalog } from '../problems/problem-catalog.ts';
import { permissionsNeeded } from '../routes/route-config.ts';

/** Failures that are unrelated to the purpose of an operation. */
export const commonExamples: readonly ProblemExample[] = [
  common('Invalid HTTP', 'malformed-request'),
  common('A body that is not JSON', 'malformed-json', 'Expected a value at offset 0.'),
  common('No key', 'unauthenticated', 'The BT-API-KEY header is required.'),
  common('An unknown key', 'unauthenticated', 'The key in the BT-API-KEY header is not valid.'),
  failure('A key of another cell', otherCell('us1')),
  common('The tenant was deleted in the meantime', 'not-found', 'There is no such tenant.'),
  common('The request takes too long to arrive', 'request-timeout'),
  common(
    'The same idempotency key at the same time',
    'idempotency-in-flight',
    'A request with the same BT-IDEMPOTENCY-KEY is still being handled.',
  ),
  common(
    'An idempotency key whose result is not known',
    'idempotency-answer-not-kept',
    'The result of the first request was not kept.',
  ),
  common('A body of more than 4 MiB', 'body-too-large'),
  common('A Content-Type that is not one', 'unsupported-media-type'),
  common(
    'Too many requests',
    'rate-limited',
    'Too many requests from this address. Wait for the number of seconds in Retry-After.',
  ),
  common('Too many headers', 'header-too-large'),
  common('An error of the vault', 'internal-error', 'The request could not be handled.'),
  common(
    'The database is unavailable',
    'overloaded',
    'The database did not respond in time. Try again shortly. Nothing was changed.',
  ),
];

/**
 * Returns examples of the error for a key that lacks a permission. They are derived from the checks of the edge, so
 * that the description cannot differ from them.
 */
export function toForbiddenExamples(config: FastifyContextConfig | undefined): ProblemExample[] {
  const permissions = permissionsNeeded(config);
  if (permissions.length === 0) return [failure('A session that is not authorized', unauthorizedSession())];
  return permissions.map((permission) => failure(`A key without ${permission}`, missingPermission(permission)));
}

function common(summary: string, code: ErrorCode, detail = problemCatalog[code].meaning): ProblemExample {
  return failure(summary, new DomainError(code, detail));
}

function failure(summary: string, { code, message, cell }: DomainError): ProblemExample {
  const problem = { code, detail: message, ...(cell === undefined ? {} : { cell }) };
  return { summary, status: problemCatalog[code].status, problem };
}

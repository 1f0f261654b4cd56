import type { RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import { DomainError, type ErrorCode } from '../../core/errors/domain-error.ts';
import type { ApiComponents } from '../routes/api-components.ts';
import { isProblemExample, type ProblemExample, toNamedExamples } from '../routes/api-examples.ts';
import { commonExamples, toForbiddenExamples } from './common-examples.ts';
import { codesOf, commonCodes } from './described-codes.ts';
import { exampleIds } from '../routes/example-values.ts';
import { nameOfStatus, problemSchemaOf, ProxyProblem } from './described-problems.ts';
import { type Problem, toProblem, unknownRoute } from '../problems/problem.ts';
import { problemCatalog } from '../problems/problem-catalog.ts';
import { toHeader } from '../connections/response-header.ts';
import { toTemplate } from '../routes/route-template.ts';

const waitHeaders = { 'Retry-After': toHeader('integer', 'Seconds to wait.') };
const limitHeaders = {
  ...waitHeaders,
  'X-RateLimit-Reset': toHeader('integer', 'When the count is reset, as a Unix time in seconds.'),
  RateLimit: toHeader('string', 'draft-ietf-httpapi-ratelimit-headers'),
  'RateLimit-Policy': toHeader('string', 'draft-ietf-httpapi-ratelimit-headers'),
};
const headersOf: Readonly<Record<number, object>> = { 429: limitHeaders, 503: waitHeaders };

/** Codes of errors that occur before there is a route, so that no route can give them another format. */
const beforeRouting: ReadonlySet<ErrorCode> = new Set(['malformed-request', 'request-timeout', 'header-too-large']);

/** Describes the error responses of a route, by status. */
export function describeProblems(route: RouteOptions, components: ApiComponents): Record<string, unknown> {
  const byStatus = Map.groupBy(codesOf(route), (code) => problemCatalog[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, describeStatus(route, { status, codes }, components)]),
  );
}

/**
 * Describes one error status. Operations share a response if they have nothing to add. All routes with another error
 * format share theirs.
 */
function describeStatus(
  { config, url }: RouteOptions,
  { status, codes }: { readonly status: number; readonly codes: readonly ErrorCode[] },
  components: ApiComponents,
): unknown {
  const present = config?.presentProblem;
  const own = [...toForbiddenExamples(config), ...(config?.examples ?? []).filter(isProblemExample)].filter(
    (example) => example.status === status,
  );
  const isMissing = (code: ErrorCode) => codes.includes(code) && !own.some(({ problem }) => problem.code === code);
  const examples = [...own, ...commonExamples.filter(({ problem }) => isMissing(problem.code))];
  const isCommon = own.length === 0 && codes.every((code) => commonCodes.has(code));
  // A shared response belongs to several operations, but can name only one of them.
  const instance = present === undefined ? (isCommon ? '/tokens' : toTemplate(url)) : '/proxy';
  const response = {
    description: codes.map((code) => `\`${code}\`: ${problemCatalog[code].meaning}`).join('\n\n'),
    ...(headersOf[status] === undefined ? {} : { headers: headersOf[status] }),
    content: toContent({ status, examples, instance, present }, components),
  };
  if (present !== undefined) return components.toResponse(`Proxy${nameOfStatus(status)}`, response);
  return isCommon ? components.toResponse(nameOfStatus(status), response) : response;
}

function toContent(
  failed: {
    readonly status: number;
    readonly examples: readonly ProblemExample[];
    readonly instance: string;
    readonly present: ((problem: Problem) => object) | undefined;
  },
  components: ApiComponents,
): object {
  const { status, instance, present } = failed;
  const plain = failed.examples.filter((example) => present === undefined || isEarly(example));
  const presented = failed.examples.filter((example) => !plain.includes(example));
  const describe = (
    schema: TSchema,
    examples: readonly ProblemExample[],
    form = (problem: Problem): object => problem,
  ) => ({
    schema: components.toSchema(schema),
    examples: toNamedExamples(examples, (example) => form(toExampleProblem(example, instance))),
  });
  return {
    ...(presented.length === 0 ? {} : { 'application/json': describe(ProxyProblem, presented, present) }),
    ...(plain.length === 0 ? {} : { 'application/problem+json': describe(problemSchemaOf(status), plain) }),
  };
}

function isEarly({ problem }: ProblemExample): boolean {
  return beforeRouting.has(problem.code);
}

/** Writes an example with the code that writes real problems. */
function toExampleProblem(example: ProblemExample, instance: string): Problem {
  const { code, detail, errors, cell } = example.problem;
  const error = new DomainError(code, detail, {
    ...(errors === undefined ? {} : { fields: errors }),
    ...(cell === undefined ? {} : { cell }),
  });
  return toProblem(error, { instance: isEarly(example) ? unknownRoute : instance, traceId: exampleIds.request });
}

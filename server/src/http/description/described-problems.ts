import { type TSchema, Type } from 'typebox';
import type { ErrorCode } from '../../core/errors/domain-error.ts';
import { keysOf } from '../../core/objects/keys-of.ts';
import { nameSchemas } from '../routes/api-components.ts';
import { problemType } from '../problems/problem.ts';
import { problemCatalog } from '../problems/problem-catalog.ts';

const typeText = 'Path of a page that describes this type of problem.';
const statusText = 'The status of the response.';

/** The format of every error response (RFC 9457). */
const Problem = Type.Object(
  {
    type: Type.String({ description: typeText }),
    title: Type.String({ description: 'What kind of problem it is, in a few words.' }),
    status: Type.Integer({ description: statusText }),
    detail: Type.String({ description: 'What is wrong with this request. Contains no submitted or stored value.' }),
    instance: Type.String({ description: 'The route, without the values in its path.' }),
    trace_id: Type.String({ description: 'The BT-TRACE-ID of the response, to report the problem with.' }),
    errors: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), { description: 'Error messages by field path.' }),
    ),
    cell: Type.Optional(
      Type.String({ description: 'The cell that the key belongs to, if the request was sent to another.' }),
    ),
  },
  { additionalProperties: false, description: 'Why a request failed, as RFC 9457 defines it.' },
);

/** A problem in a separate member, where published clients expect it. */
export const ProxyProblem = Type.Object(
  { proxy_error: Problem },
  { description: 'Why the proxy did not return a response from the destination.' },
);
nameSchemas({ Problem, ProxyProblem });

const statusNames: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'RequestTimeout',
  409: 'Conflict',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  421: 'MisdirectedRequest',
  422: 'UnprocessableEntity',
  429: 'TooManyRequests',
  431: 'HeaderTooLarge',
  500: 'InternalError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
};

/** Returns the name of the response that operations share for a status. */
export function nameOfStatus(status: number): string {
  const name = statusNames[status];
  if (name === undefined) throw new Error(`The API description has no name for the status ${status}.`);
  return name;
}

/**
 * Returns the schema of a problem with its status and its possible types, so that a generated client can tell them
 * apart.
 */
export function problemSchemaOf(status: number): TSchema {
  const codes = keysOf(problemCatalog).filter((code: ErrorCode) => problemCatalog[code].status === status);
  return Type.Object(
    {
      ...Problem.properties,
      type: Type.Enum(codes.map(problemType), { description: typeText }),
      status: Type.Literal(status, { description: statusText }),
    },
    {
      additionalProperties: false,
      title: `${nameOfStatus(status)}Problem`,
      description: `A problem with the status ${status}.`,
    },
  );
}

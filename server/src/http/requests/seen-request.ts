import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../core/identity/caller.ts';
import { findCaller } from '../callers/authentication.ts';

/** A request in the form that a developer sees in the terminal. */
export interface SeenRequest {
  readonly method: string;
  /** The path without the values of the query, and without sign-in links. */
  readonly path: string;
  /** Undefined if the client disconnected before there was a response. */
  readonly status: number | undefined;
  readonly durationMs: number;
  /** The caller. Undefined without a valid key or session. */
  readonly caller: Caller | undefined;
}

export type RequestWatcher = (seen: SeenRequest) => void;

const pathLengthMax = 200;
/** Path parameters that are not secret. */
const shownParameters: ReadonlySet<string> = new Set(['id', 'keyId', 'code']);

export function toSeenRequest(request: FastifyRequest, reply?: FastifyReply): SeenRequest {
  return {
    method: request.method,
    path: pathOf(request),
    status: reply?.statusCode,
    durationMs: reply?.elapsedTime ?? 0,
    caller: findCaller(request),
  };
}

function pathOf({ url, routeOptions }: FastifyRequest): string {
  const [sent = '', query] = url.slice(0, pathLengthMax).split('?', 2);
  const route = routeOptions.url ?? '';
  const parameters = [...route.matchAll(/:([a-zA-Z]+)/g)].map(([, name = '']) => name);
  const path = parameters.every((name) => shownParameters.has(name)) ? sent : route;
  if (query === undefined) return path;
  const names = query.split('&').map((pair) => pair.split('=', 1)[0]);
  return `${path}?${names.join('&')}`;
}

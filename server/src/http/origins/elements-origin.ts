import type { FastifyRequest, FastifyServerOptions } from 'fastify';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { Identity } from '../../core/identity/caller.ts';

type RawRequest = FastifyRequest['raw'];

/** What a request to the elements origin asks for: something that this origin serves, or the API behind `/api`. */
type ElementsPart = 'elements' | 'api';

interface ElementsRequest {
  readonly part: ElementsPart;
  /** The configured origin, as a browser writes it. */
  readonly origin: string;
}

/** Only requests that belong to the elements origin are here. */
const elementsRequests = new WeakMap<RawRequest, ElementsRequest>();

const apiPrefix = '/api/';
const defaultPorts: Readonly<Record<string, string>> = { 'https:': ':443', 'http:': ':80' };

/** What card fields need of the API: by the route that was found, since there are many ways to write a path. */
const servedRoutes: ReadonlySet<string> = new Set([
  'POST /tokens',
  'GET /tokens/:id',
  'PATCH /tokens/:id',
  'POST /tokenize',
  'POST /sessions',
]);
const proxyRoutes: ReadonlySet<string> = new Set(['/proxy', '/proxy/*']);

/** The origin of the card fields: which requests belong to it, and what they may reach. */
export class ElementsOrigin {
  readonly #origin: string;
  readonly #host: string;
  readonly #defaultPort: string;
  readonly #connections = new WeakSet<object>();

  constructor(url: string) {
    const { origin, host, protocol } = new URL(url);
    this.#origin = origin;
    this.#host = host;
    this.#defaultPort = defaultPorts[protocol] ?? '';
  }

  /** Every request on this connection belongs to the origin, whatever its `Host` is. */
  claim(connection: object): void {
    this.#connections.add(connection);
  }

  /**
   * Decides where a request belongs, before it is routed, and returns the path to route it by. A `Host` that is sent twice
   * or differs from the target is refused later, whichever of the two has decided here.
   */
  route(request: RawRequest): string {
    const { url = '/' } = request;
    if (!this.#owns(request)) return url;
    const path = toPath(url);
    const isApi = path.startsWith(apiPrefix);
    elementsRequests.set(request, { part: isApi ? 'api' : 'elements', origin: this.#origin });
    return isApi ? path.slice(apiPrefix.length - 1) : path;
  }

  #owns({ socket, headers }: RawRequest): boolean {
    if (this.#connections.has(socket)) return true;
    const host = headers.host?.toLowerCase();
    return host !== undefined && (host === this.#host || host === `${this.#host}${this.#defaultPort}`);
  }
}

/** A target in absolute form without its scheme and host. */
function toPath(target: string): string {
  if (target.startsWith('/')) return target;
  const [, path = ''] = /^https?:\/\/[^/?#]*(.*)$/is.exec(target) ?? [];
  return path.startsWith('/') ? path : `/${path}`;
}

/** Undefined for a request to the vault itself. */
export function partOfElements(request: RawRequest): ElementsPart | undefined {
  return elementsRequests.get(request)?.part;
}

/** The name of the constraint in the router by which routes belong to the elements origin. */
export const elementsConstraint = { origin: 'elements' } as const;

type Strategies = NonNullable<NonNullable<FastifyServerOptions['routerOptions']>['constraints']>;
type Strategy = Strategies[string];
type RouteHandler = Parameters<ReturnType<Strategy['storage']>['set']>[1];

/** A route with the constraint is found on the elements origin only; a route without it never is there. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the router takes undefined for a request without one.
export const originStrategy = {
  name: 'origin',
  storage: () => {
    const handlers = new Map<string, RouteHandler>();
    return {
      get: (origin: string) => handlers.get(origin) ?? null,
      set: (origin: string, handler: RouteHandler) => void handlers.set(origin, handler),
    };
  },
  deriveConstraint: (request: RawRequest) => (partOfElements(request) === 'elements' ? 'elements' : undefined),
  mustMatchWhenDerived: true,
} as Strategy;

/** Whether the route that was found may be reached where the request belongs. */
export function isServed({ raw, method, routeOptions }: FastifyRequest): boolean {
  if (partOfElements(raw) !== 'api') return true;
  const { url = '' } = routeOptions;
  return servedRoutes.has(`${method} ${url}`) || proxyRoutes.has(url);
}

/** Pages have keys that anybody may read: another key in one is a mistake, which must not seem to work. */
export function requireKeyForPages({ raw }: FastifyRequest, { applicationType, session }: Identity): void {
  if (partOfElements(raw) === undefined || applicationType === 'public' || session !== undefined) return;
  throw new DomainError('forbidden', 'Card fields work with the key of a public application or of a session only.');
}

/**
 * Whether a frame with card fields has sent this request, which changes something. A browser sends the origin with each such request,
 * and no script can choose it: a script in the page around the frame cannot create what passes for the frame's. A program that is no
 * browser can claim any origin.
 */
export function isSentByFrame({ raw }: FastifyRequest): boolean {
  const expected = elementsRequests.get(raw);
  return expected?.part === 'api' && raw.headers.origin === expected.origin && !isFromElsewhere(raw);
}

/** A session that a frame has created works in frames only: its key is of no use to the page around them, or on the API itself. */
export function requireOriginOfSession(request: FastifyRequest, { session }: Identity): void {
  if (session?.origin === undefined || isSentByFrame(request) || isReadByFrame(request)) return;
  throw new DomainError('forbidden', 'The session was created by card fields and works on their origin only.');
}

/** Browsers leave the origin out when a page reads from its own; across origins they always send it. */
function isReadByFrame({ raw }: FastifyRequest): boolean {
  const isRead = raw.method === 'GET' || raw.method === 'HEAD';
  return isRead && partOfElements(raw) === 'api' && raw.headers.origin === undefined && !isFromElsewhere(raw);
}

/** Old browsers do not send `Sec-Fetch-Site`; where it is sent, it must agree. */
function isFromElsewhere({ headers }: RawRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin';
}

import type { FastifyRequest, FastifyServerOptions } from 'fastify';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { Identity } from '../../core/identity/caller.ts';

type RawRequest = FastifyRequest['raw'];

/** The target of a request to the elements origin: something that this origin serves, or the API behind `/api`. */
type ElementsPart = 'elements' | 'api';

interface ElementsRequest {
  readonly part: ElementsPart;
  /** The configured origin, in the form that a browser sends. */
  readonly origin: string;
}

/** The requests that belong to the elements origin. */
const elementsRequests = new WeakMap<RawRequest, ElementsRequest>();

const apiPrefix = '/api/';
const defaultPorts: Readonly<Record<string, string>> = { 'https:': ':443', 'http:': ':80' };

/** The API routes that card fields need. They are compared by route, because a path can be written in many ways. */
const servedRoutes: ReadonlySet<string> = new Set([
  'POST /tokens',
  'GET /tokens/:id',
  'PATCH /tokens/:id',
  'POST /tokenize',
  'POST /token-intents',
  'POST /sessions',
]);
const proxyRoutes: ReadonlySet<string> = new Set(['/proxy', '/proxy/*']);

/** The origin of the card fields. It decides which requests belong to it and what they may reach. */
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

  /** Marks a connection whose requests all belong to the origin, whatever their `Host` is. */
  claim(connection: object): void {
    this.#connections.add(connection);
  }

  /**
   * Decides which origin a request belongs to before it is routed, and returns the path to route it by. A `Host` that
   * is sent twice or differs from the target is rejected later, whichever value was used here.
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

/** Removes scheme and host from a target in absolute form. */
function toPath(target: string): string {
  if (target.startsWith('/')) return target;
  const [, path = ''] = /^https?:\/\/[^/?#]*(.*)$/is.exec(target) ?? [];
  return path.startsWith('/') ? path : `/${path}`;
}

/** Returns undefined for a request to the vault itself. */
export function partOfElements(request: RawRequest): ElementsPart | undefined {
  return elementsRequests.get(request)?.part;
}

/**
 * Returns true if card fields may have sent the request. In that case, a script on their page chose everything except
 * the values.
 */
export function isFromFields({ raw }: FastifyRequest): boolean {
  return partOfElements(raw) !== undefined;
}

/** The router constraint of routes that belong to the elements origin. */
export const elementsConstraint = { origin: 'elements' } as const;

type Strategies = NonNullable<NonNullable<FastifyServerOptions['routerOptions']>['constraints']>;
type Strategy = Strategies[string];
type RouteHandler = Parameters<ReturnType<Strategy['storage']>['set']>[1];

/**
 * The router strategy for the constraint. A route with it is found only on the elements origin, and a route without it
 * never is.
 */
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

/** Returns true if the matched route may be reached on the origin of the request. */
export function isServed({ raw, method, routeOptions }: FastifyRequest): boolean {
  if (partOfElements(raw) !== 'api') return true;
  const { url = '' } = routeOptions;
  return servedRoutes.has(`${method} ${url}`) || proxyRoutes.has(url);
}

/**
 * Rejects keys that do not belong in a page. Anybody can read the keys of a page, so using any other key there is a
 * mistake that must not seem to work.
 */
export function requireKeyForPages({ raw }: FastifyRequest, { applicationType, session }: Identity): void {
  if (partOfElements(raw) === undefined || applicationType === 'public' || session !== undefined) return;
  throw new DomainError('forbidden', 'Card fields work with the key of a public application or of a session only.');
}

/**
 * Returns true if a frame with card fields sent this request, which changes something. A browser sends the origin with
 * each such request, and no script can choose it. A script in the page around the frame therefore cannot imitate the
 * frame. A program that is not a browser can claim any origin.
 */
export function isSentByFrame({ raw }: FastifyRequest): boolean {
  const expected = elementsRequests.get(raw);
  return expected?.part === 'api' && raw.headers.origin === expected.origin && !isFromElsewhere(raw);
}

/**
 * Rejects a session that was created by a frame but is used outside of frames. Its key is therefore useless to the
 * surrounding page, and on the API itself.
 */
export function requireOriginOfSession(request: FastifyRequest, { session }: Identity): void {
  if (session?.origin === undefined || isSentByFrame(request) || isReadByFrame(request)) return;
  throw new DomainError('forbidden', 'The session was created by card fields and works on their origin only.');
}

/**
 * Returns true for a read from a frame. Browsers omit the `Origin` header if a page reads from its own origin, and
 * always send it with cross-origin requests.
 */
function isReadByFrame({ raw }: FastifyRequest): boolean {
  const isRead = raw.method === 'GET' || raw.method === 'HEAD';
  return isRead && partOfElements(raw) === 'api' && raw.headers.origin === undefined && !isFromElsewhere(raw);
}

/**
 * Returns true if the browser reports another origin. Old browsers do not send `Sec-Fetch-Site`; if it is sent, it must
 * match.
 */
function isFromElsewhere({ headers }: RawRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin';
}

import type { FastifyInstance, RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import type { Permission } from '../core/access/permission.ts';
import type { ErrorCode } from '../core/errors/domain-error.ts';
import type { EntityType, Operation } from '../platform/audit/audit-event.ts';
import type { RateLimitScope } from '../platform/rate-limit/rate-limit-table.ts';
import type { Problem } from './problem.ts';

/** `any-key` needs a valid key and no permission; `public` needs no key at all. */
export type RoutePermission = Permission | 'any-key' | 'public';

declare module 'fastify' {
  interface FastifyContextConfig {
    permission?: RoutePermission;
    mediaTypes?: readonly string[];
    hasBody?: boolean;
    /** What a route without a permission of its own is about. */
    entityType?: EntityType;
    /** What it does, if its method does not tell. */
    operation?: Operation;
    /** What a request counts as, besides as any request. */
    rateLimit?: RateLimitScope;
    /** A route that only reads, or whose answer nobody but the caller of that moment may see, is never answered from before. */
    isRepeatable?: boolean;
    /** Takes any media type and hands the bytes on as they came. */
    isBodyRaw?: boolean;
    /** Headers that the route reads and judges itself, for the description. */
    describedHeaders?: TSchema;
    /** What the route responds with, where that is not JSON, for the description. */
    responseMediaTypes?: readonly string[];
    /** Ways to fail that are special to this route, for the description. */
    problems?: readonly ErrorCode[];
    /** Another form for the problems of this route than the problem itself. */
    presentProblem?: (problem: Problem) => object;
    /** The member that holds the problem in that form, for the description. */
    problemField?: string;
  }
}

/** Stops the start on a route that does not say who may call it. */
export function requireDeclaredPermissions(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.permission === undefined && !isDocumentation(route)) {
      throw new Error(`${String(route.method)} ${route.url} declares no permission.`);
    }
  });
}

function isDocumentation(route: RouteOptions): boolean {
  return route.url === '/docs' || route.url.startsWith('/docs/');
}

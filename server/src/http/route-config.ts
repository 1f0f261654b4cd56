import type { FastifyInstance } from 'fastify';
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
    /** The entity type of a route without its own permission. */
    entityType?: EntityType;
    /** What it does, if its method does not tell. */
    operation?: Operation;
    /** What a request counts as, besides as any request. */
    rateLimit?: RateLimitScope;
    /** A route that only reads, or whose response only the original caller may see, never returns an earlier result. */
    isRepeatable?: boolean;
    /** Accepts any media type and passes the bytes on unchanged. */
    isBodyRaw?: boolean;
    /** Headers that the route reads and validates itself, for the API description. */
    describedHeaders?: TSchema;
    /** What the route responds with, where that is not JSON, for the description. */
    responseMediaTypes?: readonly string[];
    /** Ways to fail that are special to this route, for the description. */
    problems?: readonly ErrorCode[];
    /** A different error format for this route. */
    presentProblem?: (problem: Problem) => object;
    /** The member that contains the problem in that format, for the API description. */
    problemField?: string;
  }
}

/** Prevents startup if a route does not declare who may call it. */
export function requireDeclaredPermissions(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.permission === undefined) {
      throw new Error(`${String(route.method)} ${route.url} declares no permission.`);
    }
  });
}

import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import type { Permission } from '../../core/access/permission.ts';
import type { ErrorCode } from '../../core/errors/domain-error.ts';
import type { EntityType, Operation } from '../../platform/audit/record/audit-event.ts';
import type { RateLimitScope } from '../../platform/rate-limit/rate-limit-table.ts';
import type { ApiExample } from './api-examples.ts';
import type { TagName } from './api-tags.ts';
import type { LongWork } from '../connections/time-limit.ts';
import type { Problem } from '../problems/problem.ts';

/** The permission of a route. `any-key` needs a valid key and no permission, and `public` needs no key at all. */
export type RoutePermission = Permission | 'any-key' | 'public';

declare module 'fastify' {
  interface FastifyContextConfig {
    permission?: RoutePermission;
    /** Permissions that are needed in addition. */
    alsoNeeds?: readonly Permission[];
    /** The callers of the route: applications with keys (the default), or signed-in members. */
    audience?: 'keys' | 'members';
    mediaTypes?: readonly string[];
    hasBody?: boolean;
    /** The entity type, if the permission does not imply it. */
    entityType?: EntityType;
    /** The operation, if the method does not imply it. */
    operation?: Operation;
    /** The rate limit that counts the request, in addition to the one for all requests. */
    rateLimit?: RateLimitScope;
    /** The reason why the route has more time than others, if it does. */
    moreTimeFor?: LongWork;
    /** True if the route changes nothing although its method could. */
    isReadOnly?: boolean;
    /**
     * False for a route whose response only the original caller may see, and for one that only reads. Such a route
     * never returns an earlier result.
     */
    isRepeatable?: boolean;
    /** True if the route accepts any media type and passes the bytes on unchanged. */
    isBodyRaw?: boolean;
    /** True if members of a deleted tenant may use the route. All other routes reject them. */
    worksOnDeletedTenant?: boolean;
    /** True if the request can name a stored proxy by its key, which can take the place of an API key. */
    takesProxyKey?: boolean;
    /** Headers that the route reads and validates itself, for the API description. */
    describedHeaders?: TSchema;
    /** Headers of a success by its status, for the API description. */
    responseHeaders?: Readonly<Record<string, Readonly<Record<string, string>>>>;
    /** The media types of the response if it is not JSON, for the API description. */
    responseMediaTypes?: readonly string[];
    /** Error codes that are specific to this route, for the API description. */
    problems?: readonly ErrorCode[];
    /** Requests and their responses, for the API description. A test sends them. */
    examples?: readonly ApiExample[];
    /** Converts a problem into the error format of this route. */
    presentProblem?: (problem: Problem) => object;
    /** The member that contains the problem in that format, for the API description. */
    problemField?: string;
  }

  /** The description of a route, in addition to the schemas of its requests and responses. */
  interface FastifySchema {
    /** True if the route is not part of the API. */
    hide?: boolean;
    operationId?: string;
    tags?: readonly TagName[];
    summary?: string;
    description?: string;
  }
}

/**
 * Returns the permissions that the edge checks before anything else. Rules may require more, for example on a
 * container.
 */
export function permissionsNeeded(config: FastifyContextConfig | undefined): readonly Permission[] {
  const { permission = 'public', alsoNeeds = [] } = config ?? {};
  return permission === 'any-key' || permission === 'public' ? [] : [permission, ...alsoNeeds];
}

/** Prevents startup if a route does not declare who may call it. */
export function requireDeclaredPermissions(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.permission === undefined) {
      throw new Error(`${String(route.method)} ${route.url} declares no permission.`);
    }
  });
}

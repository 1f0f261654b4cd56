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

/** `any-key` needs a valid key and no permission; `public` needs no key at all. */
export type RoutePermission = Permission | 'any-key' | 'public';

declare module 'fastify' {
  interface FastifyContextConfig {
    permission?: RoutePermission;
    /** Permissions without which that one is not enough. */
    alsoNeeds?: readonly Permission[];
    /** Who calls it: applications with keys (the default), or members who are signed in. */
    audience?: 'keys' | 'members';
    mediaTypes?: readonly string[];
    hasBody?: boolean;
    /** The entity type of a route without its own permission. */
    entityType?: EntityType;
    /** What it does, if its method does not tell. */
    operation?: Operation;
    /** What a request counts as, besides as any request. */
    rateLimit?: RateLimitScope;
    /** Why it has longer than other requests, if it has. */
    moreTimeFor?: LongWork;
    /** Changes nothing, although its method could. */
    isReadOnly?: boolean;
    /** A route whose response only the original caller may see never returns an earlier result; neither does one that only reads. */
    isRepeatable?: boolean;
    /** Accepts any media type and passes the bytes on unchanged. */
    isBodyRaw?: boolean;
    /** Open to members of a deleted tenant, where everything else is refused. */
    worksOnDeletedTenant?: boolean;
    /** Headers that the route reads and validates itself, for the API description. */
    describedHeaders?: TSchema;
    /** Headers of a success by its status, for the description. */
    responseHeaders?: Readonly<Record<string, Readonly<Record<string, string>>>>;
    /** What the route responds with, where that is not JSON, for the description. */
    responseMediaTypes?: readonly string[];
    /** Ways to fail that are special to this route, for the description. */
    problems?: readonly ErrorCode[];
    /** Requests and their responses, for the description; a test sends them. */
    examples?: readonly ApiExample[];
    /** A different error format for this route. */
    presentProblem?: (problem: Problem) => object;
    /** The member that contains the problem in that format, for the API description. */
    problemField?: string;
  }

  /** What a route says about itself, besides the form of its requests and responses. */
  interface FastifySchema {
    /** Not part of the API. */
    hide?: boolean;
    operationId?: string;
    tags?: readonly TagName[];
    summary?: string;
    description?: string;
  }
}

/** What the edge checks before anything else. Rules may ask for more, for example on a container. */
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

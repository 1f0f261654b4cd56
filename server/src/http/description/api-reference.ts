import type { FastifyInstance, RouteOptions } from 'fastify';
import { describeApi } from './api-document.ts';
import type { RequestLimits } from '../callers/rate-limit.ts';
import { addReferencePage } from './reference-page.ts';

interface ReferenceOptions {
  readonly publicUrl: string;
  readonly limits: Pick<RequestLimits, 'limiter' | 'countsRequests'>;
  readonly isServed: boolean;
}

/**
 * Serves a description of all routes added afterwards at `/openapi.json` and shows it at `/docs`, all from this
 * process. Either both are served or neither. The page shows the same description, so hiding just one of them would be
 * pointless.
 */
export function addApiReference(app: FastifyInstance, { publicUrl, limits, isServed }: ReferenceOptions): void {
  if (!isServed) return;
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => void routes.push(route));
  const limitOf = limits.countsRequests ? limits.limiter.limitOf.bind(limits.limiter) : undefined;
  // The document is built for the first request, because most servers never receive one.
  let document: object | undefined;
  app.get('/openapi.json', { config: { permission: 'public' }, schema: { hide: true } }, () => {
    // The filter runs here, because a scope may hide its routes after they were announced.
    const shown = routes.filter(({ schema, method }) => schema?.hide !== true && method !== 'HEAD');
    document ??= describeApi(shown, { publicUrl, limitOf });
    return document;
  });
  addReferencePage(app);
}

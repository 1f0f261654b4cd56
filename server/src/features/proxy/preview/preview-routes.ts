import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { previewExamples } from './preview-examples.ts';
import { PreviewProxy, ProxyPreview } from './preview-schemas.ts';
import { previewProxy } from './proxy-preview.ts';

/** Adds the route that shows what transforms do to sample messages. */
export function addPreviewRoutes(app: FastifyInstance): void {
  app.post<{ Body: Static<typeof PreviewProxy> }>(
    '/proxies/preview',
    {
      config: {
        permission: 'proxy:create',
        isRepeatable: false,
        problems: ['unsupported-media-type'],
        examples: previewExamples,
      },
      schema: {
        operationId: 'previewProxy',
        summary: 'Try the transforms of a proxy',
        description:
          'Applies transforms to sample messages and returns the results. Nobody is called, and no token is created or read.',
        tags: ['Stored proxies'],
        body: PreviewProxy,
        response: { 200: ProxyPreview },
      },
    },
    async (request) => previewProxy(request.body),
  );
}

import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { extractComponents } from './api-components.ts';
import { correctOperations, describeRoute } from './api-description.ts';
import { tags } from './api-tags.ts';
import { addReferencePage } from './reference-page.ts';

/**
 * Describes every route added afterwards at `/openapi.json` and shows it at `/docs`, all from this process. Both
 * are served or neither: the page shows what is in the description, so serving one of them would hide nothing.
 */
export async function addApiReference(
  app: FastifyInstance,
  { publicUrl, isServed }: { readonly publicUrl: string; readonly isServed: boolean },
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Strongroom',
        version: '1',
        description: 'Tokenization of cards, bank accounts and personal data.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl }],
      components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'BT-API-KEY' } } },
      security: [{ apiKey: [] }],
      tags: [...tags],
    },
    transform: describeRoute,
    transformObject: (document) =>
      'openapiObject' in document
        ? extractComponents(correctOperations(document.openapiObject))
        : document.swaggerObject,
  });
  if (!isServed) return;
  app.get('/openapi.json', { config: { permission: 'public' }, schema: { hide: true } }, () => app.swagger());
  addReferencePage(app);
}

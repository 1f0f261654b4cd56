import swagger from '@fastify/swagger';
import apiReference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { describeRoute } from './api-description.ts';

/** Describes every route that is added afterwards at `/openapi.json`, and shows it at `/docs`, all from this process. */
export async function addApiReference(app: FastifyInstance, publicUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Strongroom',
        version: '1',
        description: 'Tokenization of cards, bank accounts and personal data.',
      },
      servers: [{ url: publicUrl }],
      components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'BT-API-KEY' } } },
      security: [{ apiKey: [] }],
    },
    transform: describeRoute,
  });
  app.get('/openapi.json', { config: { permission: 'public' }, schema: { hide: true } }, () => app.swagger());
  await app.register(apiReference, {
    routePrefix: '/docs',
    // Nothing on the page may call out: no fonts, no telemetry, no assistant, no request proxy of a third party.
    configuration: {
      url: '/openapi.json',
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      hideClientButton: true,
      showDeveloperTools: 'never',
    },
    logLevel: 'silent',
  });
}

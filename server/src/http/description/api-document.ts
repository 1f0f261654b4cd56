import type { RouteOptions } from 'fastify';
import { ApiComponents } from '../routes/api-components.ts';
import { introduction } from './api-introduction.ts';
import { describeOperation, type OperationParts } from './api-operation.ts';
import { tags } from '../routes/api-tags.ts';
import { toTemplate } from '../routes/route-template.ts';

/**
 * Describes the API as an OpenAPI document. Paths are in the order of their tags, and within a tag in the order of
 * their routes.
 */
export function describeApi(
  routes: readonly RouteOptions[],
  { publicUrl, limitOf }: { readonly publicUrl: string } & Pick<OperationParts, 'limitOf'>,
): object {
  const components = new ApiComponents();
  const paths: Record<string, Record<string, object>> = {};
  for (const { name } of tags) {
    for (const route of routes.filter(({ schema }) => schema?.tags?.[0] === name)) {
      const operations = (paths[toTemplate(route.url)] ??= {});
      operations[String(route.method).toLowerCase()] = describeOperation(route, { components, limitOf });
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Strongroom',
      version: '1',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    security: [{ apiKey: [] }],
    tags,
    paths,
    components: {
      ...components.toJson(),
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'BT-API-KEY',
          description: 'The key of an application or a session.',
        },
      },
    },
  };
}

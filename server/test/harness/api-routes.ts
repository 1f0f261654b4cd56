import { withoutReferences } from './openapi-document.ts';
import { sampleOf, type Schema } from './schema-sample.ts';

/** An API operation, with the smallest body that its schema accepts. */
export interface ApiRoute {
  readonly method: string;
  readonly template: string;
  readonly parameters: readonly RouteParameter[];
  readonly body: unknown;
  readonly mediaType: string;
}

export interface RouteParameter {
  /** The parameter as written in the template: `{id}`. */
  readonly placeholder: string;
  /** The parameter with the path segment before it, which shows what it names: `tokens/{id}`. */
  readonly place: string;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
/**
 * Reads come first and deletes last, and parts come before the objects that contain them, so that no route destroys
 * what a later one needs.
 */
const methodOrder = ['get', 'head', 'post', 'put', 'patch', 'delete'];

/** This path names something at a destination, not in the vault. */
const pathOfDestination = '/proxy/{path}';

/** Returns every path that can be read without a path parameter. */
export function listOpenPaths(document: unknown): string[] {
  const { paths } = document as OpenApi;
  return Object.entries(paths).flatMap(([path, operations]) =>
    'get' in operations && !path.includes('{') ? [path] : [],
  );
}

/** Returns every operation in the server's own description whose path names something in the vault. */
export function listNamingRoutes(document: unknown): ApiRoute[] {
  const rank = ({ method }: ApiRoute) => methodOrder.indexOf(method.toLowerCase());
  return listRoutes(document)
    .filter(({ template, parameters }) => template !== pathOfDestination && parameters.length > 0)
    .sort((a, b) => rank(a) - rank(b) || b.parameters.length - a.parameters.length);
}

/** Returns every operation in the server's own description. */
export function listRoutes(document: unknown): ApiRoute[] {
  const { paths } = withoutReferences(document) as OpenApi;
  return Object.entries(paths).flatMap(([template, operations]) =>
    Object.entries(operations).map(([method, operation]) => toRoute(method, template, operation)),
  );
}

function toRoute(method: string, template: string, { requestBody }: Operation): ApiRoute {
  if (!methodOrder.includes(method)) throw new Error(`${template} has an unknown method: ${method}.`);
  const [mediaType, content] = Object.entries(requestBody?.content ?? {})[0] ?? ['application/json', undefined];
  return {
    method: method.toUpperCase(),
    template,
    parameters: parametersOf(template),
    body: content === undefined ? undefined : sampleOf(content.schema),
    mediaType,
  };
}

export function parametersOf(template: string): RouteParameter[] {
  const matches = template.matchAll(/[^/]*\/(\{[^}]+\})/g);
  return [...matches].map(([place, placeholder = '']) => ({ placeholder, place }));
}

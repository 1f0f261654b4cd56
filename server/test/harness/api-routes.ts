import { withoutReferences } from './openapi-document.ts';
import { sampleOf, type Schema } from './schema-sample.ts';

/** An operation of the API, with the smallest body that its schema accepts. */
export interface ApiRoute {
  readonly method: string;
  readonly template: string;
  readonly parameters: readonly RouteParameter[];
  readonly body: unknown;
  readonly mediaType: string;
}

export interface RouteParameter {
  /** As it stands in the template: `{id}`. */
  readonly placeholder: string;
  /** What stands before it, which tells what it names: `tokens/{id}`. */
  readonly place: string;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
/** Reading first and deleting last, parts before wholes: what one route would destroy is still there for the others. */
const methodOrder = ['get', 'head', 'post', 'put', 'patch', 'delete'];

/** Names something at a destination. */
const pathOfDestination = '/proxy/{path}';

/** Every path that can be read without naming anything. */
export function listOpenPaths(document: unknown): string[] {
  const { paths } = document as OpenApi;
  return Object.entries(paths).flatMap(([path, operations]) =>
    'get' in operations && !path.includes('{') ? [path] : [],
  );
}

/** Every operation with a parameter in its path that names something of the vault, as the server itself describes them. */
export function listNamingRoutes(document: unknown): ApiRoute[] {
  const rank = ({ method }: ApiRoute) => methodOrder.indexOf(method.toLowerCase());
  return listRoutes(document)
    .filter(({ template, parameters }) => template !== pathOfDestination && parameters.length > 0)
    .sort((a, b) => rank(a) - rank(b) || b.parameters.length - a.parameters.length);
}

/** Every operation, as the server itself describes them. */
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

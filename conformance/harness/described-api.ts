import { Compile } from 'typebox/schema';

interface Described {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
type Operations = Readonly<Record<string, { readonly responses: Readonly<Record<string, Described>> }>>;
export interface ApiDescription {
  readonly paths: Readonly<Record<string, Operations>>;
  readonly components: { readonly responses: Readonly<Record<string, Described>> };
}

export interface SeenResponse {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: string;
}

/** Paths of pages for people, and of the description itself. */
const notApi = /^\/(portal|docs|openapi\.json)(\/|$)/;

/** Checks the behaviour of a vault against its own API description. */
export class DescribedApi {
  readonly #routes: readonly { readonly pattern: RegExp; readonly operations: Operations }[];
  readonly #components: ApiDescription['components'];
  readonly #checks = new Map<object, ReturnType<typeof Compile>>();

  constructor({ paths, components }: ApiDescription) {
    // A literal segment takes precedence over a parameter, as in the router.
    const rank = (path: string) => path.replaceAll('{', '~');
    const templates = Object.keys(paths).toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
    this.#routes = templates.map((path) => ({ pattern: toPattern(path), operations: paths[path] ?? {} }));
    this.#components = components;
  }

  /** Returns the error in a response, or undefined if it matches the description. */
  judge(response: SeenResponse): string | undefined {
    const { method, path, status } = response;
    if (notApi.test(path) || method === 'OPTIONS') return undefined;
    const operation = this.#routes.find(({ pattern }) => pattern.test(path))?.operations[method.toLowerCase()];
    if (operation === undefined) return [404, 405].includes(status) ? undefined : 'answers where nothing is described';
    const described = this.#resolve(operation.responses[status]);
    if (described === undefined) return `answers with ${status}, which is not described`;
    return this.#judgeBody(described, response);
  }

  /** Resolves a reference to a response that several operations share. */
  #resolve(response: Described | undefined): Described | undefined {
    return response?.$ref === undefined ? response : this.#components.responses[response.$ref.split('/').at(-1) ?? ''];
  }

  #judgeBody({ content = {} }: Described, { contentType = '', body }: SeenResponse): string | undefined {
    const [mediaType = ''] = contentType.split(';');
    const schema = content[mediaType]?.schema;
    if (schema === undefined) return body === '' ? undefined : `answers with ${mediaType}, which is not described`;
    const [isValid, errors] = this.#checkOf(schema).Errors(JSON.parse(body));
    return isValid ? undefined : errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ');
  }

  #checkOf(schema: object) {
    const known = this.#checks.get(schema);
    if (known !== undefined) return known;
    const check = Compile(closeObjects({ ...schema, components: this.#components }) as object);
    this.#checks.set(schema, check);
    return check;
  }
}

function toPattern(template: string): RegExp {
  const segments = template.split('/').map((segment) => {
    if (!segment.startsWith('{')) return segment;
    // The proxy's parameter matches the rest of the path, including slashes.
    return template.startsWith('/proxy') ? '.+' : '[^/]+';
  });
  return new RegExp(`^${segments.join('/')}/?$`);
}

/** Rejects members that are not described. Real clients, in contrast, must expect additional members. */
function closeObjects(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closeObjects);
  const closed = Object.fromEntries(Object.entries(schema).map(([name, member]) => [name, closeObjects(member)]));
  const isOpen = 'properties' in schema && 'type' in schema && schema.type === 'object';
  return isOpen ? { additionalProperties: false, ...closed } : closed;
}

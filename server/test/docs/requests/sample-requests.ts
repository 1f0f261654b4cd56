import { withoutReferences } from '../../harness/openapi-document.ts';
import { type Schema, sampleOf } from '../../harness/schema-sample.ts';
import { operationsOf } from '../reference/api-operations.ts';

/** A request of the API as a person would first send it. */
export interface SampleRequest {
  readonly tag: string;
  readonly title: string;
  readonly method: string;
  /** The path, with a variable in double braces for each parameter. */
  readonly path: string;
  /** The variable with the key. */
  readonly key: 'private_key' | 'management_key';
  /** Headers in addition to the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, or undefined if the request has none. */
  readonly body: unknown;
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
}
interface DescribedOperation {
  readonly requestBody?: RequestBody;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
}
interface RequestBody {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** Bodies that show more than the smallest one that the schema accepts. */
const bodies: Readonly<Record<string, unknown>> = {
  'POST /tokens': { type: 'card', data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 } },
  'POST /tokenize': { first_name: 'Ada', card: { type: 'card', data: { number: '4242424242424242' } } },
  'POST /applications': { name: 'Shop', type: 'private', permissions: ['token:create', 'token:read'] },
};

/** The query of operations that need one of several parameters, which the description cannot say. */
const queries: Readonly<Record<string, readonly string[]>> = { 'GET /logs/exposure': ['key_id'] };

/** Returns one request for each operation of an API description. */
export function sampleRequestsOf(document: unknown): SampleRequest[] {
  const { paths } = withoutReferences(document) as Described;
  return operationsOf(document).map(({ method, path, tag, summary, permissions }) => {
    const operation = paths[path]?.[method.toLowerCase()];
    const content = operation?.requestBody?.content ?? {};
    const [mediaType, described] = Object.entries(content)[0] ?? [];
    const body = described === undefined ? undefined : (bodies[`${method} ${path}`] ?? sampleOf(described.schema));
    const parameters = operation?.parameters ?? [];
    const required = parameters.filter((it) => it.in === 'query' && it.required === true).map(({ name }) => name);
    const needsManagement = permissions.some((permission) => !permission.startsWith('token:'));
    return {
      tag,
      title: summary,
      method,
      path: path.replaceAll(/\{(\w+)\}/g, '{{$1}}') + toQuery([...required, ...(queries[`${method} ${path}`] ?? [])]),
      key: needsManagement ? 'management_key' : 'private_key',
      headers: {
        ...(path.startsWith('/proxy') ? { 'BT-PROXY-URL': 'https://api.example.com' } : {}),
        ...(mediaType === undefined ? {} : { 'Content-Type': mediaType }),
      },
      body,
    };
  });
}

function toQuery(names: readonly string[]): string {
  return names.length === 0 ? '' : `?${names.map((name) => `${name}={{${name}}}`).join('&')}`;
}

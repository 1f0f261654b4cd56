import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withoutReferences } from '../../../test/harness/openapi-document.ts';
import { sampleOf, type Schema } from '../../../test/harness/schema-sample.ts';
import { type TestResponse, type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { tokenTypeNames } from '../../core/token-types/token-type-catalog.ts';

let vault: TestVault;
let tenant: TestTenant;
let operations: readonly Operation[];
beforeAll(async () => {
  vault = await TestVault.start();
  operations = listOperations(withoutReferences((await vault.request('GET', '/openapi.json')).body));
});
afterAll(() => vault.stop());
// Apart from one wrong value, the requests are valid. They rename the tenant and could even delete it, so each test has
// its own.
beforeEach(async () => {
  tenant = await vault.makeTenant();
});

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly mediaType: string;
  readonly body: Schema | undefined;
  readonly parameters: readonly string[];
}
interface Described {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
}

/** Wrong values for a field: each kind, and values of that kind that are out of bounds. */
const wrongs: readonly unknown[] = [null, true, -1, 1.5, 'x', '', '\u0000', 'x'.repeat(5_000), [], ['x'], { x: 1 }];
/** Terms of the schema language, which mean nothing to a caller of the API. */
const jargon =
  /anyOf|oneOf|schema|constant|allowed values|additional propert|pattern|#\/|must be (string|array|object|integer|number|boolean|null)|"\/|unknown validation|something else|expected form/;

const errorsOf = ({ body }: TestResponse) => (body as { errors?: Record<string, string[]> }).errors ?? {};

describe('a value of the wrong kind', () => {
  it('in any place of any body is answered in words of the API', async () => {
    const seen = new Set<string>();
    for (const operation of operations) {
      if (operation.body === undefined || operation.path.startsWith('/proxy')) continue;
      const whole = sampleOf(operation.body);
      for (const place of listPlaces(operation.body)) {
        await Promise.all(wrongs.map((wrong) => send(operation, { body: put(whole, place, wrong), seen })));
      }
    }
    // Every kind of message was triggered.
    for (const message of [
      'must be a string',
      'must be an array',
      'must be an object',
      'must be true or false',
      'must be a whole number',
      'must be at least 0',
      'must be empty',
      'must not be empty',
      'must be well-formed text without NUL',
      `must be one of ${tokenTypeNames.join(', ')}`,
      'must be one of redact, mask, reveal',
      'is required',
    ]) {
      expect([...seen]).toContain(message);
    }
  });

  it('in any parameter of any query is answered in words of the API', async () => {
    const seen = new Set<string>();
    for (const operation of operations) {
      for (const name of operation.parameters) {
        const values = ['', 'x', '-1', '1.5', 'x'.repeat(600), '{"a":1}'].map(encodeURIComponent);
        const queries = [...values, `x&${name}=y`].map((value) => `${name}=${value}`);
        await Promise.all(queries.map((query) => send(operation, { query, seen })));
      }
    }
    expect([...seen]).toEqual(expect.arrayContaining(['must be one of csv, ndjson', 'must be given only once']));
    expect(seen.size).toBeGreaterThan(10);
  });

  it('is reported once, for the member that it is', async () => {
    const key = tenant.keys.private;
    const create = (body: object) =>
      vault.request('POST', '/tokens', { key, body: { type: 'token', data: 1, ...body } });
    expect(errorsOf(await create({ containers: '/pci/' }))).toEqual({ containers: ['must be an array'] });
    expect(errorsOf(await create({ containers: ['/pci/', 1] }))).toEqual({ 'containers.1': ['must be a string'] });
    expect(errorsOf(await create({ metadata: { a: 1 } }))).toEqual({ 'metadata.a': ['must be a string'] });
    expect(errorsOf(await create({ type: 'crad' }))).toEqual({ type: [`must be one of ${tokenTypeNames.join(', ')}`] });
    const tokenize = await vault.request('POST', '/tokenize', { key, body: { a: [{ type: 'crad', data: 1 }] } });
    expect(errorsOf(tokenize)).toEqual({ 'a.0.type': [`must be one of ${tokenTypeNames.join(', ')}`] });
  });
});

async function send(
  { method, path, mediaType }: Operation,
  { body, query, seen }: { body?: unknown; query?: string; seen: Set<string> },
): Promise<void> {
  const url = path.replaceAll(/\{[^}]+\}/g, tenant.id) + (query === undefined ? '' : `?${query}`);
  const key = /^(\/v2)?\/(token|detoken|sessions|proxy)/.test(path) ? tenant.keys.private : tenant.keys.management;
  const answer = await vault.request(method.toUpperCase(), url, {
    key,
    ...(body === undefined ? {} : { rawBody: JSON.stringify(body), headers: { 'content-type': mediaType } }),
  });
  const text = JSON.stringify(body) ?? query;
  if (answer.status >= 500) throw new Error(`${method} ${path} failed for ${text}: ${answer.text}`);
  if (answer.status !== 400) return;
  for (const message of Object.values(errorsOf(answer)).flat()) {
    seen.add(message);
    if (jargon.test(message)) throw new Error(`${method} ${path} says for ${text}: ${message}`);
  }
  if (jargon.test(Object.keys(errorsOf(answer)).join(' '))) throw new Error(`${method} ${path}: ${answer.text}`);
}

function listOperations(document: unknown): Operation[] {
  const { paths } = document as { paths: Readonly<Record<string, Readonly<Record<string, Described>>>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody, parameters = [] }]) => {
      const [mediaType = '', content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
      const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
      return { method, path, mediaType, body: content?.schema, parameters: names };
    }),
  );
}

type Place = readonly (string | number)[];

/**
 * Lists the path of every part that a schema names: the whole value, its members, their members, and the first item of
 * each list.
 */
function listPlaces(schema: Schema): Place[] {
  const inner = (key: string | number, part: Schema): Place[] => listPlaces(part).map((place) => [key, ...place]);
  return [
    [],
    ...(schema.anyOf ?? []).flatMap((alternative) => listPlaces(alternative).slice(1)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => inner(name, part)),
    ...(schema.items === undefined ? [] : inner(0, schema.items)),
  ];
}

/** Returns a copy with the wrong value at that path. Missing parents are created. */
function put(value: unknown, [key, ...rest]: Place, wrong: unknown): unknown {
  if (key === undefined) return wrong;
  if (typeof key === 'number') return [put(Array.isArray(value) ? value[0] : undefined, rest, wrong)];
  const members = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  return { ...members, [key]: put(members[key], rest, wrong) };
}

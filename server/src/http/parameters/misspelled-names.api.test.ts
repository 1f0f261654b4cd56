import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutReferences } from '../../../test/harness/openapi-document.ts';
import { sampleOf, type Schema } from '../../../test/harness/schema-sample.ts';
import { type TestResponse, type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

// Every name in the API description is sent misspelled: with each letter omitted or doubled, and with each pair of
// adjacent letters swapped. None may be accepted silently. The only exceptions are misspellings that equal another
// known name.

interface Operation {
  readonly tags: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly security: readonly [{ readonly apiKey: readonly string[] }];
}

/** A name and its path in a body, for example `rules`, `0`, `container`. */
interface Member {
  readonly path: readonly string[];
  readonly name: string;
  readonly siblings: readonly string[];
  /** Returns a body that has the value under the given name instead. */
  readonly toBody: (written: string) => unknown;
}

interface Route {
  readonly method: string;
  readonly path: string;
  readonly mediaType: string;
  readonly key: string;
  readonly parameters: readonly string[];
  readonly members: readonly Member[];
}

let vault: TestVault;
let tenant: TestTenant;
let routes: Route[];
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  const document = withoutReferences((await vault.request('GET', '/openapi.json')).body) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const creating = document.paths['/tokens']?.['post']?.requestBody?.content['application/json']?.schema ?? {};
  routes = Object.entries(document.paths)
    .filter(([template]) => !template.startsWith('/proxy'))
    .flatMap(([template, operations]) =>
      Object.entries(operations).map(([method, operation]) => toRoute(method, template, operation, creating)),
    );
});
afterAll(() => vault.stop());

describe('a misspelled name', () => {
  it('of a member of a body is 400 on every route, and the known name is named', async () => {
    const cases = routes.flatMap((route) =>
      route.members.flatMap((member) => misspell(member.name).map((written) => ({ route, member, written }))),
    );
    expect(cases.length).toBeGreaterThan(1_000);
    const accepted = await filterAsync(cases, async ({ route, member, written }) => {
      const answer = await send(route, route.path, JSON.stringify(member.toBody(written)));
      // If two names are equally close, the message may name the other one.
      const near = member.siblings.map((sibling) => [...member.path.slice(0, -1), sibling].join('.'));
      const told = near.flatMap((path) => errorsOf(answer)[path] ?? []);
      const isTold = told.some((message) => message.startsWith('is misspelled'));
      // The other known name is rejected for another reason, for example because its value must be an array.
      return answer.status !== 400 || !(isTold || member.siblings.includes(written));
    });
    expect(
      accepted.map(({ route, member, written }) => `${nameOf(route)} ${member.path.join('.')}: ${written}`),
    ).toEqual([]);
  });

  it('of a query parameter is 400 on every route that has one, and the known names are listed', async () => {
    const cases = routes.flatMap((route) =>
      route.parameters.flatMap((name) =>
        misspell(name)
          .filter((written) => !route.parameters.includes(written))
          .map((written) => ({ route, name, written })),
      ),
    );
    expect(cases.length).toBeGreaterThan(1_000);
    const accepted = await filterAsync(cases, async ({ route, name, written }) => {
      const answer = await send(route, `${route.path}?${encodeURIComponent(written)}=x`);
      const told = (errorsOf(answer)['querystring'] ?? []).join();
      return answer.status !== 400 || !told.includes(name);
    });
    expect(accepted.map(({ route, name, written }) => `${nameOf(route)} ${name}: ${written}`)).toEqual([]);
  });

  it('of a member of card data is 400 where a card is created and where one is changed', async () => {
    const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' };
    const id = crypto.randomUUID();
    await vault.request('POST', '/tokens', { key: tenant.keys.private, body: { id, type: 'card', data: card } });
    const cases = Object.entries(card).flatMap(([name, value]) =>
      misspell(name).map((written) => ({ name, data: { ...card, [name]: undefined, [written]: value } })),
    );
    const accepted = await filterAsync(cases, async ({ name, data }) => {
      const created = await vault.request('POST', '/tokens', {
        key: tenant.keys.private,
        body: { type: 'card', data },
      });
      const changed = await vault.request('PATCH', `/tokens/${id}`, {
        key: tenant.keys.private,
        body: { data },
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      return [created, changed].some((answer) => !Object.hasOwn(errorsOf(answer), `data.${name}`));
    });
    expect(accepted).toEqual([]);
  });
});

const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const errorsOf = ({ body }: TestResponse) => (body as { errors?: Record<string, string[]> } | undefined)?.errors ?? {};

/**
 * Returns the name with each letter omitted, each letter doubled, and each pair of adjacent letters swapped. The name
 * itself is never included.
 */
function misspell(name: string): string[] {
  const letters = [...name];
  const slips = letters.flatMap((letter, at) => [
    letters.toSpliced(at, 1),
    letters.toSpliced(at, 0, letter),
    ...(at + 1 < letters.length ? [letters.toSpliced(at, 2, letters[at + 1] ?? '', letter)] : []),
  ]);
  return [...new Set(slips.map((slip) => slip.join('')))].filter((slip) => slip !== name && slip !== '');
}

function toRoute(method: string, template: string, operation: Operation, creating: Schema): Route {
  const [mediaType = 'application/json', content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const isAboutTokens = operation.security[0].apiKey[0]?.startsWith('token') === true;
  const members = listMembers(content?.schema ?? {});
  return {
    method: method.toUpperCase(),
    path: template.replaceAll(/\{\w+\}/g, 'none'),
    mediaType,
    key: tenant.keys[isAboutTokens ? 'private' : 'management'],
    parameters: operation.parameters.filter((one) => one.in === 'query').map(({ name }) => name),
    // A document to tokenize has no member names of its own, but the token requests in it do.
    members: template === '/tokenize' ? listMembers(creating).map((member) => within('card', member)) : members,
  };
}

/** The members of a token request of which it must have one. */
const dataMembers = ['data', 'encrypted', 'token_intent_id'];

/**
 * Lists every named member of a schema, at all depths. Names that the caller chooses, such as those of metadata, are
 * not included.
 */
function listMembers(schema: Schema): Member[] {
  const alternative = schema.anyOf?.find(({ type }) => type !== 'null');
  if (alternative !== undefined) return listMembers(alternative);
  if (schema.items !== undefined) return listMembers(schema.items).map((member) => within(0, member));
  const { properties = {} } = schema;
  return Object.entries(properties).flatMap(([name, property]) => {
    const smallest = sampleOf(schema) as Readonly<Record<string, unknown>>;
    // An object with a token type and data, or with what stands for data, is a token request wherever it appears.
    const held = dataMembers.includes(name) ? name : 'data';
    const sample =
      'type' in properties && 'data' in properties ? { ...smallest, type: 'token', [held]: 'x' } : smallest;
    const { [name]: value = sampleOf(property), ...others } = sample;
    const own: Member = {
      path: [name],
      name,
      siblings: Object.keys(properties),
      toBody: (written) => ({ ...others, [written]: value }),
    };
    const inner = listMembers(property).map((member) => ({
      ...member,
      path: [name, ...member.path],
      toBody: (written: string) => ({ ...sample, [name]: member.toBody(written) }),
    }));
    return [own, ...inner];
  });
}

function within(place: string | 0, member: Member): Member {
  return {
    ...member,
    path: [String(place), ...member.path],
    toBody: (written) => (place === 0 ? [member.toBody(written)] : { [place]: member.toBody(written) }),
  };
}

function send({ method, mediaType, key }: Route, path: string, rawBody?: string): Promise<TestResponse> {
  const content = rawBody === undefined ? {} : { rawBody, headers: { 'content-type': mediaType } };
  return vault.request(method, path, { key, ...content });
}

async function filterAsync<Item>(items: readonly Item[], isWanted: (item: Item) => Promise<boolean>): Promise<Item[]> {
  const wanted: Item[] = [];
  const waiting = items.values();
  const work = async () => {
    for (const item of waiting) if (await isWanted(item)) wanted.push(item);
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return wanted;
}

import { Agent } from 'node:http';
import { listNamingRoutes, listOpenPaths, type ApiRoute, parametersOf } from './api-routes.ts';
import type { ApiResource } from './api-resources.ts';
import { type ExactAnswer, requestExactly } from './byte-exact-request.ts';

/**
 * The kind of object that each parameter names, by its position in the path. A parameter that names neither one of these
 * nor a resource that examples create must be added here. Otherwise the test fails.
 */
const ownKinds: ReadonlyMap<string, IdKind> = new Map([
  ['tokens/{id}', 'token'],
  ['applications/{id}', 'application'],
  ['keys/{keyId}', 'key'],
  ['keys/{id}', 'client-key'],
  ['members/{id}', 'member'],
  ['invitations/{id}', 'invitation'],
  ['sessions/{id}', 'session'],
  ['deliveries/{deliveryId}', 'delivery'],
]);
type IdKind = string;

/**
 * Parameters without foreign ids. Application templates are the same for every tenant. Log records are also named by
 * their time, and `log-proof.api.test.ts` requests those of another tenant. An application finds only its own erasures,
 * and `erasure.api.test.ts` requests those of others.
 */
const shared: ReadonlySet<string> = new Set(['application-templates/{id}', 'erasures/{id}', 'logs/{id}']);

/** Replacements for routes whose smallest valid body does not get as far as the lookup. */
const overrides: ReadonlyMap<string, Partial<ApiRoute>> = new Map([
  ['PATCH /tokens/{id}', { mediaType: 'application/merge-patch+json', body: { metadata: {} } }],
  ['PUT /webhooks/{id}', { body: { name: 'Endpoint', url: 'https://events.example.com/', events: ['token.created'] } }],
  ['POST /webhooks/{id}/resend', { body: { since: '2126-01-01T00:00:00Z' } }],
]);

interface Probe extends ApiRoute {
  /** The status for an id that does not exist. */
  readonly unknownStatus: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Requests that name a token outside their path, at `{id}`. Their responses may repeat the id. */
const mentions: readonly Probe[] = [
  ...['/tokens?id={id}', '/v2/tokens?id={id}'].map((template) => mention('GET', template, { unknownStatus: 200 })),
  ...['/tokens/search', '/v2/tokens/search'].map((template) =>
    mention('POST', template, { unknownStatus: 200, body: { query: 'id:"{id}"' } }),
  ),
  mention('POST', '/detokenize', { unknownStatus: 400, body: { value: '{{ {id} }}' } }),
  // The lookup happens before anything is resolved or sent.
  mention('POST', '/proxy', {
    unknownStatus: 400,
    body: { value: '{{ {id} }}' },
    headers: { 'bt-proxy-url': 'https://nobody.example/' },
  }),
];

/** The ids and keys of one tenant. They belong together: the key is one of the application's. */
export interface Estate {
  readonly ids: Readonly<Record<IdKind, string>>;
  readonly keys: readonly string[];
}

export interface WallReport {
  readonly comparisons: number;
  /** Each request through which the intruder learned something, for example `GET /tokens/{id} with the token`. */
  readonly leaks: readonly string[];
  /** Routes on which no key of the intruder reached a lookup, so nothing was proven. */
  readonly unproven: readonly string[];
}

interface Guess {
  readonly name: string;
  readonly values: readonly string[];
  /** The same values with unknown ids in place of the victim's. */
  readonly control: readonly string[];
}

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/**
 * Requests every object of one tenant as another tenant, and expects exactly the response, byte for byte, that an
 * unknown id gets.
 */
export class TenantWall {
  readonly routes: readonly Probe[];
  readonly #openPaths: readonly string[];
  readonly #url: string;
  readonly #kinds: ReadonlyMap<string, IdKind>;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string, document: unknown, resources: readonly ApiResource[] = []) {
    this.#url = url;
    this.#kinds = new Map([...resources.map(({ place }) => [place, place] as const), ...ownKinds]);
    this.#openPaths = listOpenPaths(document);
    const named = listNamingRoutes(document)
      .filter(({ parameters }) => !parameters.some(({ place }) => shared.has(place)))
      .map((route) => ({ unknownStatus: 404, ...route, ...overrides.get(nameOf(route)) }));
    for (const route of named) this.#kindsOf(route);
    const isThere = (document as { paths: Readonly<Record<string, unknown>> }).paths;
    // These come first, because some of the other requests would delete the objects that these look for.
    this.routes = [...mentions.filter(({ template }) => (template.split('?')[0] ?? '') in isThere), ...named];
  }

  async examine(intruder: Estate, victim: Estate, otherIds: Readonly<Record<string, string>>): Promise<WallReport> {
    const foreign = { ...victim.ids, ...otherIds };
    const leaks = await this.#readOpenPaths(intruder.keys, Object.values(foreign));
    const unproven: string[] = [];
    let comparisons = 0;
    for (const route of this.routes) {
      let isProven = false;
      for (const guess of listGuesses(this.#kindsOf(route), { own: intruder.ids, foreign })) {
        for (const { expected, answer } of await this.#compare(route, guess, intruder.keys)) {
          comparisons += 1;
          isProven ||= expected.status === route.unknownStatus;
          if (answer.bytes !== expected.bytes) leaks.push(`${nameOf(route)} with the ${guess.name}`);
        }
      }
      if (!isProven) unproven.push(nameOf(route));
    }
    return { comparisons, leaks: [...new Set(leaks)], unproven };
  }

  /** Lists the routes that the owner of the ids can read. They show that the ids really exist. */
  async listReadable(owner: Estate): Promise<string[]> {
    const readable: string[] = [];
    for (const route of this.routes.filter(isReading)) {
      const values = this.#kindsOf(route).map((kind) => owner.ids[kind] ?? '');
      const answers = await Promise.all(owner.keys.map((key) => this.#ask(route, values, key)));
      if (answers.some(({ status }) => status === 200)) readable.push(nameOf(route));
    }
    return readable;
  }

  #compare(route: ApiRoute, { values, control }: Guess, keys: readonly string[]) {
    return Promise.all(
      keys.map(async (key) => ({
        expected: await this.#ask(route, control, key),
        answer: await this.#ask(route, values, key),
      })),
    );
  }

  async #readOpenPaths(keys: readonly string[], foreign: readonly string[]): Promise<string[]> {
    const leaks: string[] = [];
    for (const template of this.#openPaths) {
      const answers = await Promise.all(keys.map((key) => this.#ask(mention('GET', template), [], key)));
      if (foreign.some((id) => answers.some(({ bytes }) => bytes.includes(id))))
        leaks.push(`GET ${template} by itself`);
    }
    return leaks;
  }

  async #ask(route: ApiRoute & Pick<Probe, 'headers'>, values: readonly string[], key: string): Promise<ExactAnswer> {
    const fill = (text: string, encode: (value: string) => string) =>
      route.parameters.reduce(
        (filled, { placeholder }, index) => filled.replace(placeholder, () => encode(values[index] ?? '')),
        text,
      );
    const body = route.body === undefined ? undefined : fill(JSON.stringify(route.body), String);
    const answer = await requestExactly(`${this.#url}${fill(route.template, encodeURIComponent)}`, {
      method: route.method,
      agent: this.#agent,
      headers: {
        'bt-api-key': key,
        'bt-trace-id': 'the-same-for-all',
        ...route.headers,
        ...(body === undefined ? {} : { 'content-type': route.mediaType }),
      },
      body,
    });
    if (!mentions.some(({ template }) => template === route.template)) return answer;
    // The caller learns nothing from values that it sent itself. Values from a path, however, must not be repeated in a
    // response.
    return { ...answer, bytes: values.reduce((rest, value) => rest.replaceAll(value, '{id}'), answer.bytes) };
  }

  #kindsOf(route: ApiRoute): IdKind[] {
    return route.parameters.map(({ place }) => {
      const kind = this.#kinds.get(place);
      if (kind === undefined) {
        throw new Error(
          `The tenant wall does not know what ${place} in ${nameOf(route)} names. Add the kind to ownKinds.`,
        );
      }
      return kind;
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Returns true if a route shows the object that it names to a caller who may see it. */
export function isReading(route: ApiRoute): boolean {
  return route.method === 'GET' && !mentions.some(({ template }) => template === route.template);
}

export function nameOf({ method, template }: ApiRoute): string {
  return `${method} ${template}`;
}

function mention(method: string, template: string, probe: Partial<Probe> = {}): Probe {
  const isNaming = template.includes('{') || probe.body !== undefined;
  return {
    method,
    template,
    parameters: isNaming ? parametersOf('tokens/{id}') : [],
    body: undefined,
    mediaType: 'application/json',
    unknownStatus: 404,
    ...probe,
  };
}

/**
 * Lists the guesses. Each parameter in turn is set to every foreign id, while the others are the intruder's own.
 * Finally, all are the victim's.
 */
function listGuesses(
  wanted: readonly IdKind[],
  ids: { own: Readonly<Record<IdKind, string>>; foreign: Readonly<Record<string, string>> },
): Guess[] {
  const singles = wanted.flatMap((_, position) =>
    Object.entries(ids.foreign).map(([name, foreign]) => {
      const fill = (id: string) => wanted.map((kind, index) => (index === position ? id : (ids.own[kind] ?? '')));
      return { name, values: fill(foreign), control: fill(unknownLike(foreign)) };
    }),
  );
  const all = wanted.map((kind) => ids.foreign[kind] ?? '');
  const whole = { name: wanted.join(' and '), values: all, control: all.map(unknownLike) };
  return wanted.length > 1 ? [...singles, whole] : singles;
}

/** Returns an unknown id in the same format. */
function unknownLike(id: string): string {
  return id.replace(uuid, crypto.randomUUID());
}

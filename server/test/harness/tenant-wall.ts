import { Agent, request } from 'node:http';
import { listNamingRoutes, type NamingRoute } from './api-routes.ts';

/** What the place of a parameter names. A route that takes something new has to be entered here, or the wall stops. */
const kinds: ReadonlyMap<string, IdKind> = new Map([
  ['tokens/{id}', 'token'],
  ['applications/{id}', 'application'],
  ['keys/{keyId}', 'key'],
  ['members/{id}', 'member'],
]);
export type IdKind = 'token' | 'application' | 'key' | 'member';

/** Where the smallest body that the schema accepts is not enough to get as far as the look-up. */
const overrides: ReadonlyMap<string, Partial<NamingRoute>> = new Map([
  ['PATCH /tokens/{id}', { mediaType: 'application/merge-patch+json', body: { metadata: {} } }],
]);

/** Things of one tenant that belong together: the key is one of the application. */
export interface Estate {
  readonly ids: Readonly<Record<IdKind, string>>;
  readonly keys: readonly string[];
}

export interface WallReport {
  readonly comparisons: number;
  /** Each request by which the intruder learned something, for example `GET /tokens/{id} with the token`. */
  readonly leaks: readonly string[];
  /** Routes on which no key of the intruder got as far as a look-up, so that nothing was proven. */
  readonly unproven: readonly string[];
}

interface Guess {
  readonly name: string;
  readonly values: readonly string[];
}

/** Asks as one tenant for everything of another, and expects the very bytes that an id gets which nobody has. */
export class TenantWall {
  readonly routes: readonly NamingRoute[];
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string, document: unknown) {
    this.#url = url;
    this.routes = listNamingRoutes(document).map((route) => ({ ...route, ...overrides.get(nameOf(route)) }));
    for (const route of this.routes) kindsOf(route);
  }

  async examine(intruder: Estate, victim: Estate, otherIds: Readonly<Record<string, string>>): Promise<WallReport> {
    const foreign = { ...victim.ids, ...otherIds };
    const leaks: string[] = [];
    const unproven: string[] = [];
    let comparisons = 0;
    for (const route of this.routes) {
      let isProven = false;
      for (const guess of listGuesses(route, { own: intruder.ids, foreign })) {
        // The same place filled with an id that nobody has; what is the intruder's own stays.
        const isForeign = (value: string) => Object.values(foreign).includes(value);
        const control = guess.values.map((value) => (isForeign(value) ? crypto.randomUUID() : value));
        for (const key of intruder.keys) {
          const [expected, answer] = [await this.ask(route, control, key), await this.ask(route, guess.values, key)];
          comparisons += 1;
          isProven ||= expected.status === 404;
          if (answer.bytes !== expected.bytes) leaks.push(`${nameOf(route)} with the ${guess.name}`);
        }
      }
      if (!isProven) unproven.push(nameOf(route));
    }
    return { comparisons, leaks: [...new Set(leaks)], unproven };
  }

  /** Routes that the owner of the ids can read: they show that the ids name something that is really there. */
  async listReadable(owner: Estate): Promise<string[]> {
    const readable: string[] = [];
    for (const route of this.routes.filter(({ method }) => method === 'GET')) {
      const values = kindsOf(route).map((kind) => owner.ids[kind]);
      const answers = await Promise.all(owner.keys.map((key) => this.ask(route, values, key)));
      if (answers.some(({ status }) => status === 200)) readable.push(nameOf(route));
    }
    return readable;
  }

  /** Status, headers as they were sent except the date, and body, as one piece of text. */
  ask(route: NamingRoute, values: readonly string[], key: string): Promise<{ status: number; bytes: string }> {
    const path = route.parameters.reduce(
      (text, { placeholder }, index) => text.replace(placeholder, encodeURIComponent(values[index] ?? '')),
      route.template,
    );
    const body = route.body === undefined ? undefined : JSON.stringify(route.body);
    const headers = {
      'bt-api-key': key,
      'bt-trace-id': 'the-same-for-all',
      ...(body === undefined ? {} : { 'content-type': route.mediaType, 'content-length': Buffer.byteLength(body) }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#url}${path}`, { method: route.method, agent: this.#agent, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const status = answer.statusCode ?? 0;
          const lines = toLines(answer.rawHeaders).filter((line) => !line.toLowerCase().startsWith('date:'));
          resolve({ status, bytes: [status, ...lines, '', Buffer.concat(chunks).toString('latin1')].join('\r\n') });
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

export function nameOf({ method, template }: NamingRoute): string {
  return `${method} ${template}`;
}

function kindsOf(route: NamingRoute): IdKind[] {
  return route.parameters.map(({ place }) => {
    const kind = kinds.get(place);
    if (kind === undefined) {
      throw new Error(`The tenant wall does not know what ${place} in ${nameOf(route)} names. Teach it the new kind of id.`);
    }
    return kind;
  });
}

/** Each parameter in turn gets every foreign id while the others are the intruder's own; then all are the victim's. */
function listGuesses(
  route: NamingRoute,
  ids: { own: Readonly<Record<IdKind, string>>; foreign: Readonly<Record<string, string>> },
): Guess[] {
  const wanted = kindsOf(route);
  const singles = wanted.flatMap((_, position) =>
    Object.entries(ids.foreign).map(([name, foreign]) => ({
      name,
      values: wanted.map((kind, index) => (index === position ? foreign : ids.own[kind])),
    })),
  );
  const whole = { name: wanted.join(' and '), values: wanted.map((kind) => ids.foreign[kind] ?? '') };
  return wanted.length > 1 ? [...singles, whole] : singles;
}

function toLines(rawHeaders: readonly string[]): string[] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []));
}

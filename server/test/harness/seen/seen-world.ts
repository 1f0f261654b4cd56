import type { RouteOptions } from 'fastify';
import { createApplication } from '../test-application.ts';
import { ProxyVault } from '../proxy-vault.ts';
import { tapApi } from '../route-tap.ts';
import type { TestResponse, TestRequest } from '../test-vault.ts';
import type { Behaviour } from '../tls-destination.ts';
import { anything, compareRecords, type ExpectedRecord, record, type StoredRecord } from './expected-record.ts';
import { randomRights } from './random-rights.ts';
import { SeededRandom } from './seeded-random.ts';

export interface SeenCaller {
  readonly key: string;
  /** Undefined if the test does not know the id. */
  readonly keyId: string | undefined;
  readonly applicationId: string;
}

export interface KnownToken {
  readonly id: string;
  readonly type: string;
  readonly hasMask: boolean;
}

/** A request that returns the same result when it is repeated. */
export interface Repeatable {
  readonly caller: SeenCaller;
  readonly method: string;
  readonly path: string;
  readonly request: TestRequest;
  readonly first: TestResponse;
}

interface Exchange {
  readonly what: string;
  readonly caller: SeenCaller;
  readonly expected: readonly ExpectedRecord[];
}

interface RecordedExchange extends Exchange {
  readonly stored: readonly StoredRecord[];
}

/** Echoes the request body. For paths below `/fail`, closes the connection instead. */
const echo: Behaviour = (socket, { head, body }) => {
  if (head.includes(' /fail')) socket.destroy();
  else
    socket.end(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.toString()}`,
    );
};

/** A vault with callers that have random rights, and a record of everything they received. */
export class SeenWorld {
  readonly random: SeededRandom;
  readonly proxy: ProxyVault;
  /** The routes of the API. */
  readonly served: readonly RouteOptions[];
  readonly callers: SeenCaller[] = [];
  /** Sessions with and without rights. */
  readonly sessions: SeenCaller[] = [];
  readonly tokens = new Map<string, KnownToken>();
  /** Ids of tokens that no longer exist. */
  readonly gone: string[] = [];
  readonly repeatables: Repeatable[] = [];
  readonly routes = new Map<string, Set<number>>();
  isUpdatingDuplicates = false;
  readonly #exchanges = new Map<string, Exchange>();
  #requests = 0;

  static async start(seed: number, callerCount: number): Promise<SeenWorld> {
    const { started, routes } = await tapApi(() => ProxyVault.start({ behaviour: echo }));
    const world = new SeenWorld(seed, started, routes);
    for (let made = 0; made < callerCount; made += 1) await world.#addCaller(randomRights(world.random));
    return world;
  }

  private constructor(seed: number, proxy: ProxyVault, served: readonly RouteOptions[]) {
    this.served = served;
    this.random = new SeededRandom(seed);
    this.proxy = proxy;
  }

  get management(): SeenCaller {
    return { key: this.proxy.tenant.keys.management, keyId: undefined, applicationId: '' };
  }

  /** Returns a caller with random rights, or one that may do everything. */
  anyCaller(): SeenCaller {
    const all = { key: this.proxy.tenant.keys.reveal, keyId: undefined, applicationId: '' };
    const session = this.sessions.at(-1);
    if (session !== undefined && this.random.chance(0.1)) return session;
    return this.random.chance(0.4) ? all : this.random.pick(this.callers);
  }

  /** Returns the id of a token that exists, existed or never existed, or a value that is not an id. */
  anyId(): string {
    const { random } = this;
    const roll = random.next();
    // Tokens of repeatable requests are changed more often than others. A repetition then shows what
    // another caller has changed.
    const repeated = roll < 0.25 && this.repeatables.length > 0 ? random.pick(this.repeatables).first.body : undefined;
    const { id } = (repeated ?? {}) as { readonly id?: string };
    if (id !== undefined && this.tokens.has(id)) return id;
    if (roll < 0.7 && this.tokens.size > 0) return random.pick([...this.tokens.keys()]);
    if (roll < 0.8 && this.gone.length > 0) return random.pick(this.gone);
    return roll < 0.95 ? random.uuid() : '4242424242424242';
  }

  /** Sends a request and remembers which records the log must contain. The response determines them. */
  async exchange(
    caller: SeenCaller,
    [method, route, path]: readonly [method: string, route: string, path: string],
    request: TestRequest,
    expect: (answer: TestResponse) => readonly ExpectedRecord[],
  ): Promise<TestResponse> {
    this.#requests += 1;
    const id = `seen-${this.#requests}`;
    const headers = { ...request.headers, 'bt-trace-id': id };
    const answer = await this.proxy.vault.request(method, path, { ...request, key: caller.key, headers });
    const name = `${method} ${route}`;
    this.routes.set(name, (this.routes.get(name) ?? new Set()).add(answer.status));
    if (answer.status >= 500 && route !== '/proxy') throw new Error(`${name} failed: ${answer.text}`);
    const what = `${name} as ${path} gave ${answer.status} ${answer.text.slice(0, 300)}`;
    this.#exchanges.set(id, { what, caller, expected: expect(answer) });
    return answer;
  }

  /** Lists the differences between the log and what was received. */
  async listDifferences(): Promise<string[]> {
    return (await this.#recorded()).flatMap(listDifferencesOf);
  }

  /**
   * For each record, tries removing it and changing its transform, and lists the changes that the comparison would not
   * detect. The transform of a failed filter cannot be observed from outside, so it is omitted.
   */
  async listUnnoticed(): Promise<string[]> {
    return (await this.#recorded()).flatMap((exchange) =>
      exchange.stored.flatMap((one, index) => {
        const spared = exchange.stored.toSpliced(index, 1);
        const isNoticed = (stored: readonly StoredRecord[]) => listDifferencesOf({ ...exchange, stored }).length > 0;
        const others = ['redact', 'mask', 'reveal', null].filter((transform) => transform !== one['transform']);
        const isVague =
          one['outcome'] === 'failed' || exchange.expected.some(({ transforms }) => transforms.length > 1);
        return [
          ...(isNoticed(spared) ? [] : [`${exchange.what}\n  may lack ${toText(one)}`]),
          ...(isVague ? [] : others)
            .filter((transform) => !isNoticed([...spared, { ...one, transform }]))
            .map((transform) => `${exchange.what}\n  may say ${transform} in ${toText(one)}`),
        ];
      }),
    );
  }

  /** Lists the distinct kinds of expected records: `read success replay`. */
  listKinds(): string[] {
    const kinds = [...this.#exchanges.values()].flatMap(({ expected }) => expected.map(toKind));
    return [...new Set(kinds)].sort();
  }

  /** Returns every exchange with its records in the log. */
  async #recorded(): Promise<RecordedExchange[]> {
    const byRequest = Map.groupBy(await this.#settledRecords(), ({ request_id: id }) => id as string);
    return [...this.#exchanges].map(([id, exchange]) => ({ ...exchange, stored: byRequest.get(id) ?? [] }));
  }

  async stop(): Promise<void> {
    await this.proxy.stop();
  }

  async #addCaller(rights: Readonly<Record<string, unknown>>): Promise<void> {
    const { id, key, keyId } = await createApplication(this.proxy.vault, this.proxy.tenant, rights);
    this.callers.push({ key, keyId, applicationId: id });
  }

  /** Waits for pending calls, because the result of a call is recorded after its response. */
  async #settledRecords(): Promise<StoredRecord[]> {
    const { vault, tenant } = this.proxy;
    for (const end = Date.now() + 60_000; Date.now() < end; ) {
      const { rows } = await vault.database.owner.query('select 1 from proxy_calls where tenant_id = $1', [tenant.id]);
      if (rows.length === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return (await vault.auditRecords(tenant.id)).filter(({ request_id: id }) => String(id).startsWith('seen-'));
  }
}

function listDifferencesOf({ what, caller, expected, stored }: RecordedExchange): string[] {
  const { missing, surplus } = compareRecords(expected, stored);
  const foreign = stored.filter(({ key_id: key }) => caller.keyId !== undefined && key !== caller.keyId);
  return [
    ...missing.map((one) => `${what}\n  lacks ${toText(one)}`),
    ...surplus.map((one) => `${what}\n  has ${toText(one)}`),
    ...foreign.map((one) => `${what}\n  names another key: ${toText(one)}`),
  ];
}

/** Returns the records that a refusal creates: a denial, a miss, or none. */
export function refusalRecords(
  { status }: TestResponse,
  { entityType, operation, entityId }: Pick<ExpectedRecord, 'entityType' | 'operation' | 'entityId'>,
): ExpectedRecord[] {
  if (status === 403) return [record(entityType, operation, anything, { outcome: 'denied' })];
  if (status === 404) return [record(entityType, operation, entityId, { outcome: 'missed', details: { missing: 1 } })];
  return [];
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the id that a record of a miss may contain. */
export function recordable(id: string): string {
  return uuid.test(id) ? id : '*';
}

function toKind({ operation, outcome, details }: ExpectedRecord): string {
  const { via } = (typeof details === 'object' ? (details ?? {}) : {}) as { readonly via?: string };
  return [operation === anything ? '*' : operation, outcome, ...(via === undefined ? [] : [via])].join(' ');
}

function toText(value: object): string {
  return JSON.stringify(value, (_key, member: unknown) => (member === anything ? 'anything' : member));
}

import { listOperations, type ApiOperation } from '../fuzz/api-operations.ts';
import { fullWeight, post, times, tokenListShapes, tokenOf, valueShapes } from '../harness/heavy-requests.ts';
import { makeLimitedKey, makeSessionKey, ruleOn } from '../harness/limited-key.ts';
import type { MeasuredRequest, MeasuredVault } from '../harness/measured-vault.ts';
import { createApplication } from '../harness/test-application.ts';
import type { TestTenant, TestVault } from '../harness/test-vault.ts';
import { permissionsOf } from '../../src/core/access/permission.ts';
import { jsonValuesMax } from '../../src/core/json/json-limits.ts';
import {
  lastContainer,
  listConditionalRules,
  listContainerRules,
  listStackedRules,
  nonceMark,
} from './hostile-rights.ts';

/** Kinds of callers: keys of every kind, and callers with the maximum number of rules and conditions. */
export const callerKinds = [
  'private',
  'reveal',
  'public',
  'management',
  'session',
  'limited',
  'stacked',
  'conditional',
  'narrowed',
] as const;
export type CallerKind = (typeof callerKinds)[number];

/** Everything that requests can refer to: keys and existing objects. */
export interface Surroundings {
  readonly operations: readonly ApiOperation[];
  readonly keys: Readonly<Record<CallerKind, string>>;
  readonly tokenIds: readonly string[];
  /** The id of an application that may be changed and deleted. */
  readonly applicationId: string;
}

const permissions = permissionsOf('private');
const halfWeight = { ...fullWeight, bytes: 488_000 };
const membersMax = 60_000;

/**
 * A tenant with everything that makes requests expensive. Requests change and delete this data, so it can be restored.
 */
export class HostileTenant {
  readonly #vault: TestVault;
  readonly #tenant: TestTenant;
  readonly #measured: MeasuredVault;
  #around: Surroundings;

  static async make(vault: TestVault, tenant: TestTenant, measured: MeasuredVault): Promise<HostileTenant> {
    const all = { rules: [ruleOn('/', 'reveal', ...permissions)] };
    const rules = listContainerRules();
    const conditions = { rules: listConditionalRules() };
    // This is longer than any run of the search takes.
    const expiresAt = new Date(Date.now() + 23 * 3_600_000);
    const keys = {
      ...tenant.keys,
      session: await makeSessionKey(vault, tenant, { permissions }, { has: { permissions }, expiresAt }),
      limited: await makeLimitedKey(vault, tenant, { rules }),
      stacked: await makeLimitedKey(vault, tenant, { rules: listStackedRules() }),
      conditional: await makeSessionKey(vault, tenant, conditions, { has: all, expiresAt }),
      narrowed: await makeSessionKey(vault, tenant, conditions, { has: all, isLeftWith: { rules }, expiresAt }),
    };
    const operations = listOperations((await vault.request('GET', '/openapi.json')).body);
    const hostile = new HostileTenant(vault, tenant, measured, { operations, keys, tokenIds: [], applicationId: '' });
    for (const body of listCrowds()) await hostile.#send(post('/tokenize', tenant.keys.private, body));
    await hostile.restore();
    return hostile;
  }

  private constructor(vault: TestVault, tenant: TestTenant, measured: MeasuredVault, around: Surroundings) {
    this.#vault = vault;
    this.#tenant = tenant;
    this.#measured = measured;
    this.#around = around;
  }

  get around(): Surroundings {
    return this.#around;
  }

  /** Restores each single token and the application to their initial state. */
  async restore(): Promise<void> {
    const key = this.#tenant.keys.private;
    const tokenIds: string[] = [];
    for (const [id, text] of awkwardTokens) {
      await this.#measured.send({ method: 'DELETE', path: `/tokens/${id}`, key });
      await this.#send(post('/tokens', key, text));
      tokenIds.push(id);
    }
    const { id: applicationId } = await createApplication(this.#vault, this.#tenant, {
      permissions: [],
      rules: listContainerRules(),
    });
    this.#around = { ...this.#around, tokenIds, applicationId };
  }

  /** Returns the request with single-use values filled in. */
  async prepare(request: MeasuredRequest): Promise<MeasuredRequest> {
    const { body } = request;
    if (typeof body !== 'string' || !body.includes(nonceMark)) return request;
    const session = await this.#vault.request('POST', '/sessions', { key: this.#tenant.keys.public });
    return { ...request, body: body.replace(nonceMark, (session.body as { nonce: string }).nonce) };
  }

  /** Creates a token. Like a client, it tries again if the vault is overloaded by what ran before. */
  async #send(request: MeasuredRequest, triesLeft = 3): Promise<void> {
    const { status, text } = await this.#measured.send(request);
    if (status === 503 && triesLeft > 0) return this.#send(request, triesLeft - 1);
    if (status !== 200 && status !== 201) throw new Error(`A token was not made: ${status} ${text.slice(0, 500)}`);
  }
}

/** Returns many tokens, some in the containers of rules. */
function listCrowds(): unknown[] {
  const places = times(1_000, (index) => ({
    id: `tok${index}`,
    type: 'token',
    data: String(index % 100),
    containers: [`/c${index % 100}/`, `/c${(index * 7) % 100}/d/`],
    metadata: { [`k${index % 100}`]: String(index % 10) },
    search_indexes: ['{{ data }}'],
  }));
  const many = times(100, (index) => ({
    id: `token-${index}`,
    type: 'token',
    data: 'x',
    containers: [...times(9, (place) => `/y${place}/${index}/${'d'.repeat(80)}/`), lastContainer],
  }));
  return [places, many, tokenListShapes['many tokens with masks']({ ...fullWeight, tokens: 100 })];
}

/** Tokens that are expensive to open, show, change and refer to, by id. Each is the text of a request. */
const awkwardTokens: ReadonlyMap<string, string> = new Map(
  listAwkwardTokens().map((text, index) => [`awkward-${index}`, `{"id":"awkward-${index}",${text.slice(1)}`]),
);

function listAwkwardTokens(): string[] {
  const shapes = Object.values(valueShapes).map((make) => make(halfWeight));
  const isAllowed = (text: string) => text.split(/[[{,]/).length < jsonValuesMax;
  const wide = JSON.stringify(Object.fromEntries(times(membersMax, (index) => [`m${index}`, 1])));
  const metadata = Object.fromEntries(
    times(50, (index) => [String(index).padStart(200, 'k'), String(index).padStart(500, 'v')]),
  );
  const containers = times(10, (index) => `/c${index}/${'d'.repeat(90)}/`);
  return [
    ...shapes.filter(isAllowed).map((text) => tokenOf(text)),
    tokenOf(wide),
    tokenOf(wide, { mask: '{{ data.m1 }}', search_indexes: ['{{ data.m2 }}'], metadata: { a: 'b' } }),
    tokenOf(wide, { metadata, containers }),
    tokenOf(`${'['.repeat(55)}1${']'.repeat(55)}`, { mask: '{{ data }}' }),
    tokenOf('"x"', { metadata, containers, search_indexes: times(20, (index) => `{{ data }}${index}`) }),
    tokenOf(`"${'4'.repeat(1_000)}"`, { mask: times(60, () => '{{data|card_mask}}'), containers }),
    tokenOf('{"a":1}'),
  ];
}

import { untilTrue } from '../deadline.ts';
import { FourEyesTenant } from '../four-eyes.ts';
import { createApplication } from '../test-application.ts';
import type { TestResponse, TestRequest, TestTenant, TestVault } from '../test-vault.ts';
import { SeededRandom } from '../seen/seeded-random.ts';
import { endPending, notePending } from './rights-approvals.ts';
import {
  type Holder,
  mayMove,
  type ModelIntent,
  type ModelToken,
  recordedAs,
  type Rights,
  type Rule,
  seesPlaintext,
  type Transform,
  transforms,
} from './rights-model.ts';

/** A caller with a key, and its holder in the model. */
export interface Caller {
  readonly holder: Holder;
  readonly key: string;
  readonly keyId: string;
  /** Undefined for a session. */
  readonly applicationId?: string;
  readonly sessionId?: string;
  isRevoked: boolean;
}

/** The response that the model expects. */
export interface Expected {
  readonly status: number;
  /** The tokens in the response, and the transform that the log records for each. */
  readonly shown?: readonly { readonly token: ModelToken; readonly transform: Transform; readonly data: unknown }[];
  /** What else the response may contain. */
  readonly mayContain?: unknown;
}

export const containers = ['/a/', '/a/b/', '/b/'] as const;
export const tokenPermissions = [
  'token:create',
  'token:read',
  'token:update',
  'token:delete',
  'token:search',
  'token:use',
  'token-intent:create',
  'token-intent:read',
  'token-intent:delete',
] as const;
/** Data consists only of these letters, and no word of the API contains as many of them in a row. */
const letters = 'ghjkmnpqrstvwxyz';
const plaintext = new RegExp(`[${letters}]{10,}`, 'g');

const noRights: Rights = { permissions: [], rules: [] };

/** A vault and its model. Every disagreement between them is recorded as a difference. */
export class RightsWorld {
  readonly random: SeededRandom;
  readonly vault: TestVault;
  readonly tenant: TestTenant;
  readonly approvers: FourEyesTenant | undefined;
  readonly tokens: ModelToken[] = [];
  readonly intents: ModelIntent[] = [];
  callers: Caller[] = [];
  readonly differences: string[] = [];
  /** The number of deeds by outcome, which shows what a run has tried. */
  readonly deeds = new Map<string, number>();
  readonly #seen = new Map<string, Map<string, number>>();
  #made = 0;

  /** Starts in a tenant that requires approvals and has three admins signed in, or in one without approvals. */
  static async start(vault: TestVault, seed: number, isApproving = false): Promise<RightsWorld> {
    const people = isApproving ? await FourEyesTenant.make(vault) : undefined;
    return new RightsWorld(seed, vault, people ?? (await vault.makeTenant()));
  }

  private constructor(seed: number, vault: TestVault, tenant: TestTenant | FourEyesTenant) {
    this.random = new SeededRandom(seed);
    this.vault = vault;
    this.approvers = tenant instanceof FourEyesTenant ? tenant : undefined;
    this.tenant = tenant instanceof FourEyesTenant ? tenant.tenant : tenant;
  }

  /** Starts again with five new callers, no tokens and no intents. */
  async begin(): Promise<void> {
    this.tokens.length = 0;
    this.intents.length = 0;
    this.callers = [];
    if (this.approvers !== undefined) await endPending(this);
    for (const kind of ['private', 'private', 'private', 'public', 'public'] as const)
      this.callers.push(await this.makeCaller(kind, this.randomRights(kind)));
  }

  async makeCaller(kind: 'private' | 'public', rights: Rights): Promise<Caller> {
    this.#made += 1;
    const name = `${kind} ${this.#made}`;
    const body = { name, type: kind, ...rights };
    const answer = await this.vault.request('POST', '/applications', { key: this.tenant.keys.management, body });
    if (answer.status !== 201 && answer.status !== 202) throw new Error(`No application was made: ${answer.text}`);
    const made = answer.body as { id: string; key: string; keys: { id: string }[]; approval?: { id: string } };
    const holder: Holder = { name, kind, rights, isGone: false };
    const caller = { holder, key: made.key, keyId: made.keys[0]?.id ?? '', applicationId: made.id, isRevoked: false };
    if (answer.status === 202) await this.#awaitApproval(caller, made.approval?.id ?? '');
    else if (this.approvers !== undefined) this.requireNotWider({ ...holder, rights: noRights }, rights);
    return caller;
  }

  /**
   * Approves most requests immediately, because little would happen otherwise. The other callers have no rights until
   * their request is decided.
   */
  async #awaitApproval(caller: Caller, id: string): Promise<void> {
    const { holder } = caller;
    if (this.random.chance(0.3)) {
      const { rights } = holder;
      holder.rights = noRights;
      notePending(this, { id, caller, rights, basis: noRights, requester: undefined, votes: new Set() });
      this.count('left without rights');
      return;
    }
    await this.approvers?.approveByTwo(id);
    await this.settle();
  }

  /**
   * Returns random rights. If none are drawn, the first permission is granted, because little would happen otherwise.
   */
  randomRights(kind: 'private' | 'public'): Rights {
    const { random } = this;
    const allowed =
      kind === 'public' ? (['token:create', 'token:update', 'token-intent:create'] as const) : tokenPermissions;
    const rules = Array.from({ length: random.below(4) }, (_, index) => this.#randomRule(index + 1, allowed));
    const permissions = random.some(allowed, rules.length === 0 ? 0.7 : 0.2);
    return rules.length + permissions.length === 0 ? { permissions: [allowed[0]], rules } : { permissions, rules };
  }

  #randomRule(priority: number, allowed: readonly string[]): Rule {
    const { random } = this;
    const granted = random.some(allowed, 0.7);
    const permissions = granted.length === 0 ? ['token:create'] : granted;
    const transform = permissions.includes('token:use') ? 'reveal' : random.pick(transforms);
    return { priority, container: random.pick(['/', ...containers, '/general/']), transform, permissions };
  }

  randomData(): string {
    return Array.from({ length: 24 }, () => letters[this.random.below(letters.length)]).join('');
  }

  randomContainers(): readonly string[] {
    const some = this.random.some(containers, 0.4);
    return some.length === 0 ? [this.random.pick(containers)] : some;
  }

  anyCaller(): Caller {
    return this.random.pick(this.callers);
  }

  /**
   * Picks a caller, preferably one whose rights affect other callers: the authorizer of a session or the author of a
   * view.
   */
  anyGrounds(): Caller {
    const authorizers = this.callers.flatMap(({ holder }) => holder.authorizer ?? []);
    const authors = this.tokens.flatMap(({ mask, index }) => [mask.author ?? [], index.author ?? []].flat());
    const grounds = new Set([...authorizers, ...authors]);
    const found = this.callers.filter(({ holder }) => grounds.has(holder));
    return found.length > 0 && this.random.chance(0.7) ? this.random.pick(found) : this.anyCaller();
  }

  /** Picks a token, preferably the last one, so that much happens to it. */
  anyToken(): ModelToken | undefined {
    const last = this.tokens.at(-1);
    return last === undefined || this.random.chance(0.4) ? last : this.random.pick(this.tokens);
  }

  anyIntent(): ModelIntent | undefined {
    return this.intents.length === 0 ? undefined : this.random.pick(this.intents);
  }

  /** Sends a request as a caller and compares the complete response with the model. */
  async expect(
    caller: Caller,
    [method, path, request]: readonly [method: string, path: string, request: TestRequest],
    judge: () => Expected,
  ): Promise<TestResponse> {
    const isGone = caller.isRevoked || caller.holder.isGone || caller.holder.authorizer?.isGone === true;
    const { status, shown = [], mayContain }: Expected = isGone ? { status: 401 } : judge();
    const answer = await this.vault.request(method, path, { ...request, key: caller.key });
    const deed = `${method} ${path.split('/')[1]} ${answer.status}`;
    this.count(deed);
    const what = `${caller.holder.name}: ${method} ${path} ${JSON.stringify(request.body ?? null)} gave ${answer.status} ${answer.text.slice(0, 400)}`;
    if (answer.status !== status) this.#differ(`${what}\n  instead of ${status}`, caller);
    if (answer.status >= 300) {
      this.#requireOnly(what, answer, JSON.stringify(request.body ?? null));
      return answer;
    }
    const allowed = JSON.stringify([shown.map(({ data }) => data), mayContain ?? null, request.body ?? null]);
    this.#requireOnly(what, answer, allowed);
    this.#requireShown(what, answer, shown);
    for (const { token, transform } of shown) this.note(caller, token, recordedAs(token, transform));
    return answer;
  }

  /**
   * Requires that a change without approval neither shows more plaintext to anyone, nor lets anyone move more of it to
   * where others see it.
   */
  requireNotWider(before: Holder, rights: Rights): void {
    const after = { ...before, rights };
    for (const places of [['/a/'], ['/b/'], ['/a/b/'], ['/a/', '/b/'], ['/a/b/', '/b/'], ['/general/high/']]) {
      const isWider = [seesPlaintext, mayMove].some((may) => may(after, places) && !may(before, places));
      if (!isWider) continue;
      this.differences.push(`${JSON.stringify(before)} got ${JSON.stringify(rights)}, and nobody approved`);
    }
  }

  /**
   * Waits until the server has received every change so far. Changes arrive in commit order. When the server refuses a
   * key that was revoked after them, it has received them all.
   */
  async settle(): Promise<void> {
    const { key, id, keyId } = await createApplication(this.vault, this.tenant, { name: 'Marker' });
    const isKnown = async () => (await this.vault.request('GET', '/tokens/none', { key })).status !== 401;
    if (!(await isKnown())) throw new Error('A new key does not work.');
    await this.vault.request('DELETE', `/applications/${id}/keys/${keyId}`, { key: this.tenant.keys.management });
    await untilTrue(async () => !(await isKnown()), { waitingFor: 'a revoked key to be refused' });
  }

  count(deed: string): void {
    this.deeds.set(deed, (this.deeds.get(deed) ?? 0) + 1);
  }

  /** Records what the log has to contain. */
  note(caller: Caller, { id }: ModelToken, transform: Transform): void {
    const seen = this.#seen.get(caller.keyId) ?? new Map<string, number>();
    const line = `${id} ${transform}`;
    this.#seen.set(caller.keyId, seen.set(line, (seen.get(line) ?? 0) + 1));
  }

  /** Compares the exposure report of each key with what it was actually shown. */
  async compareReports(): Promise<void> {
    for (const { keyId, holder } of this.callers) {
      const { management: key } = this.tenant.keys;
      const { body } = await this.vault.request('GET', `/logs/exposure?key_id=${keyId}`, { key });
      const { tokens } = body as { tokens: { token_id: string; transform: string; count: number }[] };
      const reported = tokens.map(({ token_id: id, transform, count }) => `${id} ${transform} ${count}`).toSorted();
      const seen = [...(this.#seen.get(keyId) ?? [])].map(([line, count]) => `${line} ${count}`).toSorted();
      if (JSON.stringify(reported) !== JSON.stringify(seen))
        this.differences.push(`${holder.name} saw ${seen.join(', ')}\n  but the log says ${reported.join(', ')}`);
    }
  }

  #requireOnly(what: string, { text }: TestResponse, allowed: string): void {
    for (const [found] of text.matchAll(plaintext)) {
      if (!allowed.includes(found)) this.#differ(`${what}\n  which holds ${found}`);
    }
  }

  #requireShown(what: string, { body }: TestResponse, shown: NonNullable<Expected['shown']>): void {
    const found = body as { data?: unknown } | undefined;
    const one = shown[0];
    if (one === undefined || Array.isArray(found?.data)) return;
    if (JSON.stringify(found?.data) !== JSON.stringify(one.data))
      this.#differ(`${what}\n  instead of ${String(one.data)}`);
  }

  #differ(text: string, caller?: Caller): void {
    this.differences.push(caller === undefined ? text : `${text}\n  with ${JSON.stringify(caller.holder)}`);
  }
}

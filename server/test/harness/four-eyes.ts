import { signInProven } from './portal-people.ts';
import type { PageResponse, PortalVisitor } from './portal-visitor.ts';
import type { TestResponse, TestTenant, TestVault } from './test-vault.ts';

/** An owner or admin in the portal. */
export interface Person {
  readonly visitor: PortalVisitor;
  readonly email: string;
  readonly userId: string;
  readonly memberId: string;
}

/** A response from the API. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export const reveal = (container = '/') => ({
  description: '',
  priority: 1,
  container,
  transform: 'reveal',
  permissions: ['token:read'],
});

/** A tenant that requires approvals, with three admins and its keys. */
export class FourEyesTenant {
  readonly vault: TestVault;
  readonly tenant: TestTenant;
  readonly people: readonly [Person, Person, Person];

  static async make(vault: TestVault): Promise<FourEyesTenant> {
    const tenant = await vault.makeTenant('production');
    const join = async () => toPerson(vault, tenant, await signInProven(vault, tenant));
    const people: [Person, Person, Person] = [await join(), await join(), await join()];
    const made = new FourEyesTenant(vault, tenant, people);
    const answer = await made.byKey('PUT', '/tenants/self', demanding);
    if (answer.status !== 200) throw new Error(`Approvals are not demanded: ${JSON.stringify(answer.body)}`);
    return made;
  }

  private constructor(vault: TestVault, tenant: TestTenant, people: FourEyesTenant['people']) {
    this.vault = vault;
    this.tenant = tenant;
    this.people = people;
  }

  async byKey(method: string, path: string, body?: unknown, key = this.tenant.keys.management): Promise<ApiAnswer> {
    return toAnswer(await this.vault.request(method, path, { key, ...(body === undefined ? {} : { body }) }));
  }

  async by({ visitor }: Person, method: string, path: string, body?: unknown): Promise<ApiAnswer> {
    const headers = {
      'sec-fetch-site': 'same-origin',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await visitor.send(method, `/portal/api${path}`, headers, text);
    return { status: answer.status, body: parse(answer.text) };
  }

  decide({ visitor }: Pick<Person, 'visitor'>, verb: 'approve' | 'refuse', id: string): Promise<PageResponse> {
    return visitor.post(`/portal/approvals/${verb}`, { tenant: this.tenant.id, request: id });
  }

  /** Approves a request with the two approvals that an application's request needs. */
  async approveByTwo(id: string): Promise<void> {
    for (const person of this.people.slice(0, 2)) {
      const { status, text } = await this.decide(person, 'approve', id);
      if (status !== 303) throw new Error(`Not approved: ${text}`);
    }
  }

  async idOf(name: 'private' | 'reveal' | 'public' | 'management'): Promise<string> {
    return String(
      (await this.#row('select id from applications where tenant_id = $1 and name = $2', [this.tenant.id, name]))['id'],
    );
  }

  /** Returns the rights in force, read from the row that servers read. */
  async rightsOf(applicationId: string): Promise<Readonly<Record<string, unknown>>> {
    return this.#row(
      'select permissions, rules, expires_at, allowed_destinations, grant_limit from applications where id = $1',
      [applicationId],
    );
  }

  async roleOf({ memberId }: Pick<Person, 'memberId'>): Promise<unknown> {
    return (await this.#row('select role from members where id = $1', [memberId]))['role'];
  }

  async isDemanded(): Promise<boolean> {
    const { value } = await this.#row(`select settings ->> 'approve_plaintext' as value from tenants where id = $1`, [
      this.tenant.id,
    ]);
    return value === 'true';
  }

  /** Returns the token's data as the key sees it, or the status if the request fails. */
  async reads(key: string, tokenId: string): Promise<unknown> {
    const answer = await this.vault.request('GET', `/tokens/${tokenId}`, { key });
    return answer.status === 200 ? toAnswer(answer).body['data'] : answer.status;
  }

  async #row(text: string, values: readonly unknown[]): Promise<Record<string, unknown>> {
    const { rows } = await this.vault.database.owner.query<Record<string, unknown>>(text, [...values]);
    return rows[0] ?? {};
  }
}

const demanding = { name: 'Careful', settings: { approve_plaintext: 'true' } };

async function toPerson(
  vault: TestVault,
  { id }: TestTenant,
  { visitor, email }: { visitor: PortalVisitor; email: string },
): Promise<Person> {
  const { rows } = await vault.database.owner.query<{ id: string; user_id: string }>(
    'select m.id, m.user_id from members m join users u on u.id = m.user_id where u.email = $1 and m.tenant_id = $2',
    [email, id],
  );
  return { visitor, email, userId: rows[0]?.user_id ?? '', memberId: rows[0]?.id ?? '' };
}

function toAnswer({ status, text }: TestResponse): ApiAnswer {
  return { status, body: parse(text) };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/** Returns the approval request in a response. */
export function approvalIn({ body }: ApiAnswer): Readonly<Record<string, unknown>> {
  return (body['approval'] ?? {}) as Readonly<Record<string, unknown>>;
}

export function requestIn(answer: ApiAnswer): string {
  return String(approvalIn(answer)['id']);
}

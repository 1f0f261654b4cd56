import type { TestResponse, TestTenant, TestVault } from './test-vault.ts';

export interface TestSession {
  readonly session_key: string;
  readonly nonce: string;
}

/** A session as shown to managers of its tenant. */
export interface ListedTestSession {
  readonly id: string;
  readonly authorized_by?: string;
}

export interface TestSessionPage {
  readonly pagination: { readonly page_size: number; readonly next?: string };
  readonly data: readonly ListedTestSession[];
}

export const revealingRule = { priority: 1, container: '/a/', transform: 'reveal', permissions: ['token:read'] };

/** Sessions of a tenant, each of which is valid for an hour. */
export class TestSessions {
  readonly #vault: TestVault;
  readonly #tenant: TestTenant;

  constructor(vault: TestVault, tenant: TestTenant) {
    this.#vault = vault;
    this.#tenant = tenant;
  }

  async create(): Promise<TestSession> {
    return (await this.#vault.request('POST', '/sessions', { key: this.#tenant.keys.public })).body as TestSession;
  }

  authorize(nonce: string, more: object = {}): Promise<TestResponse> {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    return this.#vault.request('POST', '/sessions/authorize', {
      key: this.#tenant.keys.reveal,
      body: { nonce, rules: [revealingRule], expires_at, ...more },
    });
  }

  async open(more: object = {}): Promise<TestSession & { readonly id: string }> {
    const session = await this.create();
    const { status, text } = await this.authorize(session.nonce, more);
    if (status !== 200) throw new Error(`The session was not authorized: ${text}`);
    return { ...session, id: await this.findNewest() };
  }

  list(query = '', key = this.#tenant.keys.management): Promise<TestResponse> {
    return this.#vault.request('GET', `/sessions${query}`, { key });
  }

  async listPage(query = ''): Promise<TestSessionPage> {
    return (await this.list(query)).body as TestSessionPage;
  }

  /** Returns the id of the newest session, which only managers of the tenant can see. */
  async findNewest(): Promise<string> {
    return (await this.listPage('?size=1')).data[0]?.id ?? '';
  }

  end(id: string, key = this.#tenant.keys.management): Promise<TestResponse> {
    return this.#vault.request('DELETE', `/sessions/${id}`, { key });
  }
}

import type { TestResponse, TestVault } from './test-vault.ts';

export interface TokenCallOptions {
  readonly key?: string;
  /** The URL of another server of the same vault. */
  readonly url?: string;
}

/** The endpoints for single tokens. Calls use the same key unless they name another one. */
export class TokenEndpoints {
  readonly #vault: TestVault;
  readonly #key: string;

  constructor(vault: TestVault, key: string) {
    this.#vault = vault;
    this.#key = key;
  }

  create(body: unknown, options: TokenCallOptions = {}): Promise<TestResponse> {
    return this.#vault.request('POST', '/tokens', { key: this.#key, ...options, body });
  }

  /** Creates a token with the JSON text of `data` unchanged. */
  createRaw(dataText: string, options: TokenCallOptions = {}): Promise<TestResponse> {
    return this.#vault.request('POST', '/tokens', {
      key: this.#key,
      ...options,
      rawBody: `{"type":"token","data":${dataText}}`,
    });
  }

  /** Creates a token that a test needs. Throws with the response if its status is not 201. */
  async make(body: Readonly<Record<string, unknown>>, options: TokenCallOptions = {}): Promise<TokenBody> {
    const answer = await this.create({ type: 'token', ...body }, options);
    if (answer.status !== 201) throw new Error(`Expected a new token, got ${answer.status} ${answer.text}`);
    return tokenOf(answer);
  }

  get(id: string, options: TokenCallOptions = {}): Promise<TestResponse> {
    return this.#vault.request('GET', `/tokens/${encodeURIComponent(id)}`, { key: this.#key, ...options });
  }

  patch(id: string, body: unknown, options: TokenCallOptions = {}): Promise<TestResponse> {
    return this.patchRaw(id, JSON.stringify(body), options);
  }

  patchRaw(id: string, rawBody: string, options: TokenCallOptions = {}): Promise<TestResponse> {
    return this.#vault.request('PATCH', `/tokens/${encodeURIComponent(id)}`, {
      key: this.#key,
      ...options,
      rawBody,
      headers: { 'content-type': 'application/merge-patch+json' },
    });
  }

  delete(id: string, options: TokenCallOptions = {}): Promise<TestResponse> {
    return this.#vault.request('DELETE', `/tokens/${encodeURIComponent(id)}`, { key: this.#key, ...options });
  }
}

/** A token as shown in a response. */
export interface TokenBody {
  readonly id: string;
  readonly type: string;
  readonly data?: unknown;
  readonly mask?: unknown;
  readonly fingerprint?: string;
  readonly containers: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly created_by?: string;
  readonly created_at?: string;
  readonly modified_by?: string;
  readonly modified_at?: string;
  readonly expires_at?: string;
}

export function tokenOf(answer: TestResponse): TokenBody {
  return answer.body as TokenBody;
}

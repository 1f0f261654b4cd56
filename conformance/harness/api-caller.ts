import type { VaultAddress } from './vault-address.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;
}

export interface Question {
  readonly body?: unknown;
  readonly rawBody?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls a vault with plain `fetch`, using one key. */
export class ApiCaller {
  readonly #url: string;
  readonly #key: string | undefined;

  constructor({ url }: Pick<VaultAddress, 'url'>, key: string | undefined) {
    this.#url = url;
    this.#key = key;
  }

  async ask(method: string, path: string, { body, rawBody, headers }: Question = {}): Promise<Answer> {
    const text = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
    const type = method === 'PATCH' && !path.startsWith('/proxy') ? 'application/merge-patch+json' : 'application/json';
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        ...(this.#key === undefined ? {} : { 'bt-api-key': this.#key }),
        ...(text === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
      redirect: 'manual',
    });
    const answer = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return {
      status: response.status,
      headers: response.headers,
      text: answer,
      body: isJson && answer !== '' ? (JSON.parse(answer) as unknown) : undefined,
    };
  }

  get(path: string, question?: Question): Promise<Answer> {
    return this.ask('GET', path, question);
  }

  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    return this.ask('POST', path, { body, ...(headers === undefined ? {} : { headers }) });
  }

  patch(path: string, body: unknown): Promise<Answer> {
    return this.ask('PATCH', path, { body });
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.ask('PUT', path, { body });
  }

  delete(path: string): Promise<Answer> {
    return this.ask('DELETE', path);
  }

  /** Stores a token and returns the token in the response. */
  async store(token: Readonly<Record<string, unknown>>): Promise<TokenAnswer> {
    const { status, text, body } = await this.post('/tokens', { type: 'token', data: 'Sensitive Value', ...token });
    if (status !== 201 && status !== 200) throw new Error(`No token was stored: ${text}`);
    return body as TokenAnswer;
  }

  /** Returns a token as this key sees it. */
  async read(id: string): Promise<TokenAnswer> {
    const { status, text, body } = await this.get(`/tokens/${encodeURIComponent(id)}`);
    if (status !== 200) throw new Error(`No token was read: ${text}`);
    return body as TokenAnswer;
  }
}

export interface TokenAnswer extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly tenant_id: string;
  readonly type: string;
  readonly data?: unknown;
  readonly mask?: unknown;
  readonly fingerprint: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly containers: readonly string[];
  readonly expires_at?: string;
}

export interface PageResponse<Item = TokenAnswer> {
  readonly pagination: {
    readonly total_items: number;
    readonly page_number: number;
    readonly page_size: number;
    readonly total_pages: number;
  };
  readonly data: readonly Item[];
}

/** Returns the fields named in the errors of a response. */
export function fieldsOf({ body }: Answer): string[] {
  return Object.keys((body as { errors?: object } | undefined)?.errors ?? {});
}

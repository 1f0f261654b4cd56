/** The response to a page request. */
export interface PageResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly location: string | null;
}

/** A portal user without a browser. It keeps cookies, sends forms like a browser and follows no redirects. */
export class PortalVisitor {
  readonly cookies = new Map<string, string>();
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<PageResponse> {
    return this.#send(path, { headers });
  }

  post(
    path: string,
    form: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = { 'sec-fetch-site': 'same-origin' },
  ): Promise<PageResponse> {
    const body = new URLSearchParams(form).toString();
    return this.#send(path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  }

  /** Sends a request as a portal script does. */
  send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: string,
  ): Promise<PageResponse> {
    return this.#send(path, { method, headers, ...(body === undefined ? {} : { body }) });
  }

  /** Returns the same visitor at another server of the vault. */
  at(url: string): PortalVisitor {
    const other = new PortalVisitor(url);
    for (const [name, value] of this.cookies) other.cookies.set(name, value);
    return other;
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.get('/portal/')).status === 200;
  }

  async #send(path: string, request: RequestInit): Promise<PageResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(`${this.#url}${path}`, {
      redirect: 'manual',
      ...request,
      headers: { ...(cookie === '' ? {} : { cookie }), ...(request.headers as Record<string, string>) },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', value = ''] = pair.split('=');
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return {
      status: answer.status,
      headers: answer.headers,
      text: await answer.text(),
      location: answer.headers.get('location'),
    };
  }
}

/** Returns the value of a hidden field. */
export function fieldIn(page: PageResponse, name: string): string {
  const [, value = ''] = new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text) ?? [];
  return value;
}

import { setImmediate, setTimeout as pauseFor } from 'node:timers/promises';

/**
 * Continuously creates, reads, patches and deletes tokens, and remembers what each must contain. None
 * of its requests may fail.
 */
export class TokenLoad {
  readonly failures: string[] = [];
  /** The last acknowledged value of each token. */
  readonly values = new Map<string, string>();
  done = 0;
  readonly #url: () => string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #rounds: number[] = [];
  #working: Promise<void>[] = [];
  #pauseMs = 0;
  #isOver = false;

  private constructor(url: () => string, key: string) {
    this.#url = url;
    this.#headers = { 'bt-api-key': key };
  }

  /** Creates a load. Its address may change while it runs, as behind a load balancer. */
  static async create(url: () => string, managementKey: string): Promise<TokenLoad> {
    const permissions = ['token:create', 'token:read', 'token:update', 'token:delete'];
    const rules = [{ description: 'Load', priority: 1, container: '/', transform: 'reveal', permissions }];
    const response = await fetch(`${url()}/applications`, {
      method: 'POST',
      headers: { 'bt-api-key': managementKey, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Load', type: 'private', rules }),
    });
    return new TokenLoad(url, ((await response.json()) as { key: string }).key);
  }

  /** Creates tokens, a hundred per request. */
  async fill(count: number, onProgress: (done: number) => void = () => undefined): Promise<void> {
    let claimed = 0;
    const work = async () => {
      while (claimed < count) {
        const size = Math.min(100, count - claimed);
        claimed += size;
        const values = Array.from({ length: size }, () => crypto.randomUUID());
        const body = values.map((data) => ({ type: 'token', data }));
        const tokens = (await this.#ask('POST', '/tokenize', body)) as { id: string }[];
        for (const [index, { id }] of tokens.entries()) this.values.set(id, values[index] ?? '');
        onProgress(this.values.size);
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
  }

  /**
   * Starts callers that each use their own tokens, so that the last write is known. A pause between requests leaves CPU
   * time for programs that are starting.
   */
  start(callers: number, { pauseMs = 0 }: { readonly pauseMs?: number } = {}): void {
    this.#pauseMs = pauseMs;
    const ids = [...this.values.keys()];
    this.#working = Array.from({ length: callers }, (_, caller) =>
      this.#work(
        caller,
        ids.filter((_id, index) => index % callers === caller),
      ),
    );
  }

  /**
   * Waits until every request that was already in flight has finished, as a load balancer does
   * before it removes a server.
   */
  async turnover(): Promise<void> {
    const before = [...this.#rounds];
    while (before.some((rounds, caller) => (this.#rounds[caller] ?? 0) <= rounds)) await pauseFor(1);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#working);
  }

  async #work(caller: number, own: string[]): Promise<void> {
    for (let round = 0; !this.#isOver; round += 1) {
      this.#rounds[caller] = round;
      const chosen = Math.floor(Math.random() * own.length);
      const id = own[chosen];
      const choice = id === undefined ? 0 : Math.random();
      try {
        if (id === undefined || choice < 0.3) own.push(await this.#create());
        else if (choice < 0.5) await this.#read(id);
        else if (choice < 0.9) await this.#patch(id);
        else {
          await this.#delete(id);
          own.splice(chosen, 1);
        }
        this.done += 1;
      } catch (error) {
        this.failures.push(String(error));
        await setImmediate();
      }
      if (this.#pauseMs > 0) await pauseFor(this.#pauseMs);
    }
  }

  async #create(): Promise<string> {
    const data = crypto.randomUUID();
    const { id } = (await this.#ask('POST', '/tokens', { type: 'token', data })) as { id: string };
    this.values.set(id, data);
    return id;
  }

  async #read(id: string): Promise<void> {
    const { data } = (await this.#ask('GET', `/tokens/${id}`)) as { data: string };
    if (data !== this.values.get(id)) throw new Error('A token does not hold what was acknowledged last.');
  }

  async #patch(id: string): Promise<void> {
    const data = crypto.randomUUID();
    await this.#ask('PATCH', `/tokens/${id}`, { data });
    this.values.set(id, data);
  }

  async #delete(id: string): Promise<void> {
    await this.#ask('DELETE', `/tokens/${id}`);
    this.values.delete(id);
  }

  async #ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const response = await fetch(`${this.#url()}${path}`, {
      method,
      headers: { ...this.#headers, ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} was answered with ${response.status}.`);
    return text === '' ? undefined : JSON.parse(text);
  }
}

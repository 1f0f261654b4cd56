import { setTimeout as pauseFor } from 'node:timers/promises';
import { membersOf } from '../../src/core/objects/members-of.ts';
import { patienceMs } from './deadline.ts';
import type { MovingCell } from './moving-cell.ts';

const callers = 10;
const retryMs = 20;

interface Outcome {
  readonly status: number;
  readonly body: unknown;
}

/**
 * Callers that create, read and change tokens of a tenant while it moves. They wait if the tenant is being handed over,
 * and follow it to the cell that a response names. Each remembers what its tokens must contain.
 */
export class MovingLoad {
  /** What was answered with something else than the last acknowledged value, or refused for good. */
  readonly wrong: string[] = [];
  readonly values = new Map<string, string>();
  /** Tokens whose last change was sent and never acknowledged, with the value that they may have instead. */
  readonly unsure = new Map<string, string>();
  done = 0;
  /** The longest time for which a request was refused because of the move. */
  longestStopMs = 0;
  /** The cells that have served the tenant, in this order. */
  readonly served: string[] = [];
  readonly #cells: ReadonlyMap<string, string>;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #intervalMs: number;
  #cell: string;
  #isOver = false;
  #working: Promise<void>[] = [];

  static async create(
    cells: readonly MovingCell[],
    at: MovingCell,
    { management, perSecond = 100 }: { readonly management: string; readonly perSecond?: number },
  ): Promise<MovingLoad> {
    const permissions = ['token:create', 'token:read', 'token:update', 'token:delete'];
    const rules = [{ description: 'Load', priority: 1, container: '/', transform: 'reveal', permissions }];
    const response = await fetch(`${at.url}/applications`, {
      method: 'POST',
      headers: { 'bt-api-key': management, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Load', type: 'private', rules }),
    });
    const { key } = (await response.json()) as { key: string };
    return new MovingLoad({ cells, cell: at.name, key, intervalMs: (callers * 1_000) / perSecond });
  }

  private constructor(parts: { cells: readonly MovingCell[]; cell: string; key: string; intervalMs: number }) {
    this.#cells = new Map(parts.cells.map(({ name, url }) => [name, url]));
    this.#cell = parts.cell;
    this.#headers = { 'bt-api-key': parts.key, 'content-type': 'application/json' };
    this.#intervalMs = parts.intervalMs;
  }

  get key(): string {
    return this.#headers['bt-api-key'] ?? '';
  }

  async fill(count: number): Promise<void> {
    for (let made = 0; made < count; made += 100) {
      const values = Array.from({ length: Math.min(100, count - made) }, () => crypto.randomUUID());
      const body = values.map((data) => ({ type: 'token', data, metadata: { batch: String(made) } }));
      const outcome = await this.#ask('POST', '/tokenize', body);
      for (const [index, { id }] of ((outcome?.body ?? []) as { id: string }[]).entries())
        this.values.set(id, values[index] ?? '');
    }
  }

  start(): void {
    this.#working = Array.from({ length: callers }, () => this.#work());
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#working);
  }

  /** Reads every token and returns those that are lost or hold another value than the last acknowledged one. */
  async findWrong(): Promise<string[]> {
    const wrong: string[] = [];
    const ids = [...this.values.keys()];
    const check = async () => {
      for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
        const outcome = await this.#ask('GET', `/tokens/${id}`);
        const { data } = membersOf(outcome?.body);
        if (data !== this.values.get(id) && data !== this.unsure.get(id)) wrong.push(`${id}: ${outcome?.status}`);
      }
    };
    await Promise.all(Array.from({ length: callers }, check));
    return wrong;
  }

  async #work(): Promise<void> {
    const own: string[] = [];
    while (!this.#isOver) {
      const startedAt = performance.now();
      await this.#step(own);
      await pauseFor(Math.max(0, this.#intervalMs - (performance.now() - startedAt)));
    }
  }

  async #step(own: string[]): Promise<void> {
    const data = crypto.randomUUID();
    const id = own[Math.floor(Math.random() * own.length)];
    const choice = id === undefined ? 0 : Math.random();
    if (id === undefined || choice < 0.3) {
      const made = await this.#ask('POST', '/tokens', { type: 'token', data });
      if (made === undefined) return;
      const { id: fresh } = membersOf(made.body);
      if (made.status !== 201 || typeof fresh !== 'string') this.wrong.push(`create: ${JSON.stringify(made)}`);
      else {
        own.push(fresh);
        this.values.set(fresh, data);
      }
    } else if (choice < 0.65) {
      const read = await this.#ask('GET', `/tokens/${id}`);
      const found = membersOf(read?.body)['data'];
      if (read !== undefined && found !== this.values.get(id) && found !== this.unsure.get(id))
        this.wrong.push(`read ${id}: ${JSON.stringify(read)}`);
    } else {
      const changed = await this.#ask('PATCH', `/tokens/${id}`, { data });
      if (changed === undefined) this.unsure.set(id, data);
      else if (changed.status === 200) {
        this.values.set(id, data);
        this.unsure.delete(id);
      } else this.wrong.push(`change ${id}: ${JSON.stringify(changed)}`);
    }
    this.done += 1;
  }

  /** Sends a request until the tenant serves it. Returns undefined if it may or may not have taken effect. */
  async #ask(method: string, path: string, body?: unknown): Promise<Outcome | undefined> {
    const end = performance.now() + patienceMs;
    let refusedAt: number | undefined;
    for (;;) {
      const cell = this.#cell;
      const type = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
      const headers = { ...this.#headers, ...type };
      const sent = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
      const response = await fetch(`${this.#cells.get(cell)}${path}`, sent).catch(() => undefined);
      const answer = response === undefined ? undefined : await response.json().catch(() => undefined);
      const { type: problem, cell: other } = membersOf(answer);
      const isMoving = response?.status === 503 && problem === '/docs/errors/tenant-moving';
      const isElsewhere = response?.status === 421 && typeof other === 'string';
      if (isMoving || isElsewhere) refusedAt ??= performance.now();
      if (isElsewhere && this.#cell === cell) this.#cell = other;
      if (response !== undefined && !isMoving && !isElsewhere && response.status < 500) {
        if (refusedAt !== undefined) this.longestStopMs = Math.max(this.longestStopMs, performance.now() - refusedAt);
        if (this.served.at(-1) !== cell) this.served.push(cell);
        return { status: response.status, body: answer };
      }
      // A database that was killed leaves the outcome of a change unknown.
      if (!isMoving && !isElsewhere && method !== 'GET') return undefined;
      if (performance.now() > end) return { status: response?.status ?? 0, body: answer };
      await pauseFor(retryMs);
    }
  }
}

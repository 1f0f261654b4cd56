import type { LoadContext, Operation } from './operation.ts';

const livesMax = 400;

/** A token that a single client writes. */
interface Life {
  readonly id: string;
  /** The number of its current value. */
  value: number;
  /** The highest number ever sent. The number of a refused value is not reused. */
  highest: number;
  readonly isIndexed: boolean;
  isBusy: boolean;
}

/**
 * Tokens from creation to deletion. Each token is written by a single client, one request at a time. The client stops
 * after a write with an unknown outcome. Therefore the values that a reader may see are known exactly. All clients read
 * the tokens.
 */
export class TokenLives {
  readonly #context: LoadContext;
  readonly #lives: Life[] = [];

  constructor(context: LoadContext) {
    this.#context = context;
  }

  get operations(): Operation[] {
    return [
      { name: 'create', weight: 30, act: () => this.#create() },
      { name: 'get', weight: 30, act: () => this.#get() },
      { name: 'patch', weight: 12, act: () => this.#patch() },
      { name: 'delete', weight: 6, act: () => this.#delete() },
      { name: 'search', weight: 4, act: () => this.#search() },
    ];
  }

  async #create(): Promise<void> {
    const { client, tenant, marker, nextNumber, random } = this.#context;
    const life: Life = {
      id: `life-${nextNumber()}`,
      value: 0,
      highest: 0,
      isIndexed: random.below(4) === 0,
      isBusy: true,
    };
    const { outcome } = await client.send({
      operation: 'create',
      method: 'POST',
      path: '/tokens',
      key: tenant.private,
      body: {
        id: life.id,
        type: 'token',
        data: valueOf(marker, life),
        metadata: { kind: 'life' },
        ...(life.isIndexed ? { search_indexes: ['{{ data }}'] } : {}),
      },
      facts: { id: life.id, value: 0 },
    });
    if (outcome !== 'done') return;
    life.isBusy = false;
    this.#lives.push(life);
    if (this.#lives.length > livesMax) this.#lives.shift();
  }

  async #get(): Promise<void> {
    const { client, tenant, random } = this.#context;
    if (this.#lives.length === 0) return;
    const { id } = random.pick(this.#lives);
    await client.send({
      operation: 'get',
      method: 'GET',
      path: `/tokens/${id}`,
      key: tenant.private,
      facts: { id },
      see: (body) => ({ value: numberOf((body as { data: unknown }).data) }),
    });
  }

  async #patch(): Promise<void> {
    const { client, tenant, marker } = this.#context;
    await this.#write(async (life) => {
      life.highest += 1;
      const next = { id: life.id, value: life.highest };
      const { outcome } = await client.send({
        operation: 'patch',
        method: 'PATCH',
        path: `/tokens/${life.id}`,
        key: tenant.private,
        body: { data: valueOf(marker, next) },
        facts: next,
        see: (body) => ({ seen: numberOf((body as { data: unknown }).data) }),
      });
      if (outcome === 'done') life.value = next.value;
      return outcome !== 'unknown';
    });
  }

  async #delete(): Promise<void> {
    const { client, tenant } = this.#context;
    await this.#write(async ({ id }) => {
      const { outcome } = await client.send({
        operation: 'delete',
        method: 'DELETE',
        path: `/tokens/${id}`,
        key: tenant.private,
        facts: { id },
      });
      return outcome === 'refused';
    });
  }

  /** Searches for the value of a token that nobody is writing, and records whether it was found. */
  async #search(): Promise<void> {
    const { client, tenant, marker } = this.#context;
    const isIndexed = ({ isIndexed }: Life) => isIndexed;
    await this.#write(async (life) => {
      await client.send({
        operation: 'search',
        method: 'POST',
        path: '/tokens/search',
        key: tenant.private,
        body: { query: `data:"${valueOf(marker, life)}"` },
        facts: { id: life.id, value: life.value },
        see: (body) => ({ found: (body as { data: { id: string }[] }).data.map(({ id }) => id) }),
      });
      return true;
    }, isIndexed);
  }

  /** Gives one client exclusive use of a token. The token is not used again unless `work` returns true. */
  async #write(work: (life: Life) => Promise<boolean>, fits: (life: Life) => boolean = () => true): Promise<void> {
    const idle = this.#lives.filter((life) => !life.isBusy && fits(life));
    if (idle.length === 0) return;
    const life = this.#context.random.pick(idle);
    life.isBusy = true;
    if (await work(life)) life.isBusy = false;
    else this.#forget(life);
  }

  /** Stops using a token. It may already have been dropped in favour of newer ones. */
  #forget(life: Life): void {
    const index = this.#lives.indexOf(life);
    if (index !== -1) this.#lives.splice(index, 1);
  }
}

/** Returns the text of a value of a token. */
function valueOf(marker: string, { id, value }: Pick<Life, 'id' | 'value'>): string {
  return `${marker}-${id}-${value}`;
}

/** Returns the number of a value from its text, or −1 for anything else. */
export function numberOf(data: unknown): number {
  return typeof data === 'string' ? Number(/-(\d+)$/.exec(data)?.[1] ?? -1) : -1;
}

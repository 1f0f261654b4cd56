import type { LoadContext, Operation } from './operation.ts';

/** Few enough that two clients often want the same one. */
const valuesPerRound = 6;

/** Clients that want one token for one value, at the same time. */
export class EqualValues {
  readonly #context: LoadContext;

  constructor(context: LoadContext) {
    this.#context = context;
  }

  get operations(): Operation[] {
    return [{ name: 'deduplicate', weight: 5, act: () => this.#create() }];
  }

  /** The values change with time: each is new once, and that is when clients race. */
  async #create(): Promise<void> {
    const { client, tenant, marker, random } = this.#context;
    const value = `equal-${Math.floor(Date.now() / 2_000)}-${random.below(valuesPerRound)}`;
    await client.send({
      operation: 'deduplicate',
      method: 'POST',
      path: '/tokens',
      key: tenant.private,
      body: { type: 'token', data: `${marker}-${value}`, deduplicate_token: true },
      facts: { value },
      see: (body) => ({ id: (body as { id: string }).id }),
    });
  }
}

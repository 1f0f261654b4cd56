import type { LoadContext, Operation } from './operation.ts';

/** The number is small enough that two clients often use the same value. */
const valuesPerRound = 6;

/** Clients that concurrently create tokens for the same value. */
export class EqualValues {
  readonly #context: LoadContext;

  constructor(context: LoadContext) {
    this.#context = context;
  }

  get operations(): Operation[] {
    return [{ name: 'deduplicate', weight: 5, act: () => this.#create() }];
  }

  /** Creates a token. The values change over time, because clients only race while a value is new. */
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

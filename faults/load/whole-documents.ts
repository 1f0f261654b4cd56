import type { LoadContext, Operation } from './operation.ts';

const partsCount = 3;

/** Documents with several values, of which either all must be stored or none. */
export class WholeDocuments {
  readonly #context: LoadContext;

  constructor(context: LoadContext) {
    this.#context = context;
  }

  get operations(): Operation[] {
    return [{ name: 'tokenize', weight: 6, act: () => this.#tokenize() }];
  }

  async #tokenize(): Promise<void> {
    const { client, tenant, marker, nextNumber } = this.#context;
    const number = nextNumber();
    const ids = Array.from({ length: partsCount }, (_, part) => `part-${number}-${part}`);
    const [first, ...others] = ids.map((id) => ({ id, type: 'token', data: `${marker}-${id}-0` }));
    await client.send({
      operation: 'tokenize',
      method: 'POST',
      path: '/tokenize',
      key: tenant.private,
      body: { person: { first }, rest: others },
      facts: { ids },
    });
  }
}

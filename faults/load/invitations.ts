import type { LoadContext, Operation } from './operation.ts';

/** Invitations, each of which must reach a mailbox in the end. */
export class Invitations {
  readonly #context: LoadContext;

  constructor(context: LoadContext) {
    this.#context = context;
  }

  get operations(): Operation[] {
    return [{ name: 'invitation', weight: 1, act: () => this.#invite() }];
  }

  async #invite(): Promise<void> {
    const { client, tenant, nextNumber } = this.#context;
    const email = `guest-${nextNumber()}@example.com`;
    await client.send({
      operation: 'invitation',
      method: 'POST',
      path: '/tenants/self/invitations',
      key: tenant.management,
      body: { email },
      facts: { email },
      see: (body) => ({ id: (body as { id: string }).id }),
    });
  }
}

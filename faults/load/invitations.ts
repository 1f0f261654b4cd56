import type { LoadContext, Operation } from './operation.ts';

/** A tenant can have at most 500 invitations. */
const invitationsMax = 450;

/** Invitations, each of which must eventually be mailed. */
export class Invitations {
  readonly #context: LoadContext;
  #invited = 0;

  constructor(context: LoadContext) {
    this.#context = context;
  }

  get operations(): Operation[] {
    return [{ name: 'invitation', weight: 1, act: () => this.#invite() }];
  }

  async #invite(): Promise<void> {
    const { client, tenant, nextNumber } = this.#context;
    if (this.#invited === invitationsMax) return;
    this.#invited += 1;
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

import { destinationName } from '../stage/outside.ts';
import { ports } from '../stage/ports.ts';
import type { LoadContext, Operation } from './operation.ts';

/** Calls through the proxy to a destination that returns the request. */
export class ProxiedCalls {
  readonly #context: LoadContext;
  readonly #ids: string[] = [];

  constructor(context: LoadContext) {
    this.#context = context;
  }

  get operations(): Operation[] {
    return [{ name: 'proxy', weight: 3, act: () => this.#call() }];
  }

  async #call(): Promise<void> {
    const { client, tenant, marker, random } = this.#context;
    if (this.#ids.length < 20) {
      await this.#prepare();
      return;
    }
    const id = random.pick(this.#ids);
    await client.send({
      operation: 'proxy',
      method: 'POST',
      path: '/proxy',
      key: tenant.private,
      headers: { 'bt-proxy-url': `https://${destinationName}:${ports.destination}/` },
      body: { value: `{{ ${id} }}` },
      facts: { id },
      see: (body) => ({ isRight: (body as { value?: unknown } | undefined)?.value === `${marker}-${id}-0` }),
    });
  }

  async #prepare(): Promise<void> {
    const { client, tenant, marker, nextNumber } = this.#context;
    const id = `sent-${nextNumber()}`;
    const { outcome } = await client.send({
      operation: 'create',
      method: 'POST',
      path: '/tokens',
      key: tenant.private,
      body: { id, type: 'token', data: `${marker}-${id}-0` },
      facts: { id, value: 0 },
    });
    if (outcome === 'done') this.#ids.push(id);
  }
}

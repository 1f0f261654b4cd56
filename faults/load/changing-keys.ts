import { setTimeout as pause } from 'node:timers/promises';
import type { LoadContext, Operation } from './operation.ts';

const lookMs = 400;
const looksBefore = 3;
const looksAfter = 12;

/** Keys that are created, used, revoked, and then used again to check that they are rejected. */
export class ChangingKeys {
  readonly #context: LoadContext;

  constructor(context: LoadContext) {
    this.#context = context;
  }

  get operations(): Operation[] {
    return [{ name: 'key', weight: 1, act: () => this.#live() }];
  }

  async #live(): Promise<void> {
    const { client, tenant, isOver } = this.#context;
    const created = await client.send({
      operation: 'key-create',
      method: 'POST',
      path: `/applications/${tenant.applicationId}/keys`,
      key: tenant.management,
      facts: {},
      see: (body) => ({ keyId: (body as { id: string }).id }),
    });
    if (created.outcome !== 'done') return;
    const { id, key } = created.body as { id: string; key: string };
    for (let look = 0; look < looksBefore && !isOver(); look += 1) await this.#use(id, key);
    while (!isOver() && !(await this.#revoke(id))) await pause(lookMs);
    for (let look = 0; look < looksAfter && !isOver(); look += 1) await this.#use(id, key);
  }

  /**
   * Returns true if the key has been revoked. A revocation with an unknown outcome is retried, because an application
   * can only have ten keys.
   */
  async #revoke(keyId: string): Promise<boolean> {
    const { client, tenant } = this.#context;
    const { status, outcome } = await client.send({
      operation: 'key-revoke',
      method: 'DELETE',
      path: `/applications/${tenant.applicationId}/keys/${keyId}`,
      key: tenant.management,
      facts: { keyId },
    });
    return outcome === 'done' || status === 404;
  }

  async #use(keyId: string, key: string): Promise<void> {
    await this.#context.client.send({
      operation: 'key-use',
      method: 'GET',
      path: '/applications/key',
      key,
      facts: { keyId },
    });
    await pause(lookMs);
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import type { LoadContext, Operation } from './operation.ts';

const lifeMs = 15_000;
const lookMs = 1_500;

/** Sessions that have no rights at first, are authorized for a few seconds, and are refused afterwards. */
export class Sessions {
  readonly #context: LoadContext;

  constructor(context: LoadContext) {
    this.#context = context;
  }

  get operations(): Operation[] {
    return [{ name: 'session', weight: 1, act: () => this.#live() }];
  }

  async #live(): Promise<void> {
    const { client, tenant, nextNumber, isOver } = this.#context;
    const session = `session-${nextNumber()}`;
    const created = await client.send({
      operation: 'session-create',
      method: 'POST',
      path: '/sessions',
      key: tenant.public,
      facts: { session },
    });
    if (created.outcome !== 'done') return;
    const { session_key: key, nonce } = created.body as { session_key: string; nonce: string };
    const expiresAt = Date.now() + lifeMs;
    const authorized = await client.send({
      operation: 'session-authorize',
      method: 'POST',
      path: '/sessions/authorize',
      key: tenant.private,
      body: { nonce, permissions: ['token:create'], expires_at: new Date(expiresAt).toISOString() },
      facts: { session },
    });
    if (authorized.outcome !== 'done') return;
    while (Date.now() < expiresAt + 2 * lookMs && !isOver()) {
      await this.#use(session, key, expiresAt);
      await pause(lookMs);
    }
  }

  async #use(session: string, key: string, expiresAt: number): Promise<void> {
    const { client, marker, nextNumber } = this.#context;
    const id = `used-${nextNumber()}`;
    await client.send({
      operation: 'session-use',
      method: 'POST',
      path: '/tokens',
      key,
      body: { id, type: 'token', data: `${marker}-${id}-0` },
      facts: { session, id, expiresAt },
    });
  }
}

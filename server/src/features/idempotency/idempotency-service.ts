import { DomainError } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { IdempotencyClaim, IdempotencyKeeper, IdempotencyOutcome, KeptAnswer } from '../../http/idempotency.ts';
import type { Keyring } from '../../platform/keyring/keyring.ts';
import { answerBinding } from './sealed-answers.ts';
import type { IdempotencyStore } from './idempotency-store.ts';

/**
 * Remembers answers for a day, sealed like a token. Neither the key that a caller chose nor anything about the request
 * is stored: one keyed hash stands for all of it.
 */
export class IdempotencyService implements IdempotencyKeeper {
  readonly #store: IdempotencyStore;
  readonly #keyring: Keyring;

  constructor(parts: { store: IdempotencyStore; keyring: Keyring }) {
    this.#store = parts.store;
    this.#keyring = parts.keyring;
  }

  async claim(caller: Caller, operation: readonly string[], key: string): Promise<IdempotencyOutcome> {
    const { tenantId } = caller;
    const keys = await this.#keyring.forTenant(tenantId);
    const keyHash = keys.blindIndex('idempotency', actorOf(caller), ...operation, key);
    const claimId = crypto.randomUUID();
    const used = await this.#store.claim(tenantId, keyHash, claimId);
    if (used === 'claimed') return { kind: 'first', claim: this.#toClaim(tenantId, keyHash, claimId) };
    if (!used.isAnswered) return { kind: 'in-flight' };
    if (used.sealed === null) return { kind: 'not-kept' };
    return { kind: 'repeated', answer: await this.#open(tenantId, keyHash, used.sealed) };
  }

  #toClaim(tenantId: TenantId, keyHash: Buffer, claimId: string): IdempotencyClaim {
    return {
      keep: async (answer) => {
        const sealed = answer === undefined ? null : await this.#seal(tenantId, keyHash, answer);
        try {
          await this.#store.updateAnswered(tenantId, keyHash, claimId, sealed);
        } catch (error) {
          if (!(error instanceof DomainError) || error.code !== 'key-service-unavailable') throw error;
          // This server's key takes no records any more. What was done must not be done again, so the key is used up.
          await this.#store.updateAnswered(tenantId, keyHash, claimId, null);
        }
      },
      release: () => this.#store.delete(tenantId, keyHash, claimId),
    };
  }

  async #seal(tenantId: TenantId, keyHash: Buffer, answer: KeptAnswer): Promise<Buffer> {
    const keys = await this.#keyring.forTenant(tenantId);
    return keys.seal(JSON.stringify(answer), answerBinding(keyHash));
  }

  async #open(tenantId: TenantId, keyHash: Buffer, sealed: Buffer): Promise<KeptAnswer> {
    const keys = await this.#keyring.forRecord(tenantId, sealed);
    return JSON.parse(keys.open(sealed, answerBinding(keyHash))) as KeptAnswer;
  }
}

/** A session is one browser: two of them never see each other's answers. Otherwise a rotated key changes nothing. */
function actorOf({ session, keyId, applicationId }: Caller): string {
  return session === undefined ? `application ${applicationId}` : `session ${keyId}`;
}

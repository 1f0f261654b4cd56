import { membersOf } from '../../core/objects/members-of.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type {
  IdempotencyClaim,
  IdempotencyKeeper,
  IdempotencyOutcome,
  KeptOutcome,
} from '../../http/requests/idempotency.ts';
import type { Keyring } from '../../platform/keyring/keys/keyring.ts';
import { answerBinding } from './sealed-responses-sql.ts';
import type { IdempotencyStore } from './idempotency-store.ts';

/**
 * Keeps the results of requests for a day, encrypted like a token. Neither the key that a caller chose nor anything
 * about the request is stored. A single keyed hash represents them all.
 */
export class IdempotencyService implements IdempotencyKeeper {
  readonly #store: IdempotencyStore;
  readonly #keyring: Keyring;

  constructor(parts: { store: IdempotencyStore; keyring: Keyring }) {
    this.#store = parts.store;
    this.#keyring = parts.keyring;
  }

  async claim(caller: KeyCaller, operation: readonly string[], key: string): Promise<IdempotencyOutcome> {
    const { tenantId } = caller;
    const keys = await this.#keyring.forTenant(tenantId);
    const keyHash = keys.blindIndex('idempotency', actorOf(caller), ...operation, key);
    const claimId = crypto.randomUUID();
    const used = await this.#store.claim(tenantId, keyHash, claimId);
    if (used === 'claimed') return { kind: 'first', claim: this.#toClaim(tenantId, keyHash, claimId) };
    if (!used.isAnswered) return { kind: used.isLost ? 'not-kept' : 'in-flight' };
    const kept = used.sealed === null ? undefined : await this.#open(tenantId, keyHash, used.sealed);
    return kept === undefined ? { kind: 'not-kept' } : { kind: 'repeated', kept };
  }

  #toClaim(tenantId: TenantId, keyHash: Buffer, claimId: string): IdempotencyClaim {
    return {
      keep: async (outcome) => {
        const sealed = outcome === undefined ? null : await this.#seal(tenantId, keyHash, outcome);
        try {
          await this.#store.updateAnswered(tenantId, keyHash, claimId, sealed);
        } catch (error) {
          if (!(error instanceof DomainError) || error.code !== 'key-service-unavailable') throw error;
          // The data key of this server has been closed. The work must not be repeated, so the idempotency key stays
          // used.
          await this.#store.updateAnswered(tenantId, keyHash, claimId, null);
        }
      },
      release: () => this.#store.delete(tenantId, keyHash, claimId),
    };
  }

  async #seal(tenantId: TenantId, keyHash: Buffer, outcome: KeptOutcome): Promise<Buffer> {
    const keys = await this.#keyring.forTenant(tenantId);
    return keys.seal(JSON.stringify(outcome), answerBinding(keyHash));
  }

  /**
   * Decrypts a result. Returns undefined for results of earlier versions, which are the text of a response and cannot
   * be authorized again.
   */
  async #open(tenantId: TenantId, keyHash: Buffer, sealed: Buffer): Promise<KeptOutcome | undefined> {
    const keys = await this.#keyring.forRecord(tenantId, sealed);
    const { status, location, outcome } = membersOf(JSON.parse(keys.open(sealed, answerBinding(keyHash))));
    if (outcome === undefined || typeof status !== 'number') return undefined;
    return { status, location: typeof location === 'string' ? location : undefined, outcome };
  }
}

/**
 * Returns the actor that a result belongs to. A session belongs to one browser, and two sessions never see each other's
 * results. Without a session, the actor is the application, so that rotating an API key has no effect.
 */
function actorOf({ session, keyId, applicationId }: KeyCaller): string {
  return session === undefined ? `application ${applicationId}` : `session ${keyId}`;
}

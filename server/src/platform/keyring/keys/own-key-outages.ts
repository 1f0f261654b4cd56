import { LRUCache } from 'lru-cache';
import type { TenantId } from '../../../core/identity/ids.ts';
import { ownKeyNameOf } from '../kms/own-root-key.ts';

const tenantsMax = 1_000;
/**
 * The time for which requests of a tenant fail at once after its own root key failed. It limits how often the key's
 * service is asked, and how many requests wait for it.
 */
const pauseMs = 2_000;
/** The time after which a failure says nothing any more, if nobody has used the tenant's keys since. */
const forgottenAfterMs = 10 * 60_000;

/** The own root key of a tenant that cannot unwrap its keys. */
export interface OwnKeyOutage {
  readonly tenantId: TenantId;
  /** The stored id of the root key, with its name. */
  readonly rootKey: string;
  readonly error: Error;
  /** When values of the tenant can no longer be decrypted. It is in the past if that is so already. */
  readonly endsAt: number;
  /** When the key failed last. */
  readonly failedAt: number;
}

/** Called when the own root key of a tenant fails first, and when it works again. */
export type OwnKeyListener = (outage: OwnKeyOutage, isOver: boolean) => void;

/** Remembers which own root keys fail, each tenant for itself. The times are those of the keyring's clock. */
export class OwnKeyOutages {
  readonly #byTenant = new LRUCache<TenantId, OwnKeyOutage>({ max: tenantsMax });
  readonly #listeners = new Set<OwnKeyListener>();
  #failures = 0;

  /** The number of failed calls since the process started. */
  get failures(): number {
    return this.#failures;
  }

  onChange(listener: OwnKeyListener): void {
    this.#listeners.add(listener);
  }

  find(tenantId: TenantId): OwnKeyOutage | undefined {
    return this.#byTenant.peek(tenantId);
  }

  /** Returns the outage if it is too recent for another attempt. */
  findRecent(tenantId: TenantId, now: number): OwnKeyOutage | undefined {
    const outage = this.find(tenantId);
    return outage !== undefined && now - outage.failedAt < pauseMs ? outage : undefined;
  }

  begin(outage: OwnKeyOutage): void {
    this.#failures += 1;
    const isKnown = this.#byTenant.has(outage.tenantId);
    this.#byTenant.set(outage.tenantId, outage);
    if (!isKnown) this.#tell(outage, false);
  }

  end(tenantId: TenantId): void {
    const outage = this.find(tenantId);
    if (outage === undefined) return;
    this.#byTenant.delete(tenantId);
    this.#tell(outage, true);
  }

  /** Allows another attempt at once, because the tenant's keys have changed. */
  retry(tenantId: TenantId): void {
    const outage = this.find(tenantId);
    if (outage !== undefined) this.#byTenant.set(tenantId, { ...outage, failedAt: Number.NEGATIVE_INFINITY });
  }

  /** Returns the time until values of the first tenant end, for each of these names. Infinite if the key works. */
  endsInMs(names: readonly string[], now: number): ReadonlyMap<string, number> {
    const ends = new Map(names.map((name) => [name, Number.POSITIVE_INFINITY]));
    for (const { rootKey, endsAt, failedAt } of this.#byTenant.values()) {
      const name = ownKeyNameOf(rootKey) ?? '';
      if (now - failedAt > forgottenAfterMs) continue;
      ends.set(name, Math.min(ends.get(name) ?? Number.POSITIVE_INFINITY, Math.max(0, endsAt - now)));
    }
    return ends;
  }

  #tell(outage: OwnKeyOutage, isOver: boolean): void {
    for (const listener of this.#listeners) listener(outage, isOver);
  }
}

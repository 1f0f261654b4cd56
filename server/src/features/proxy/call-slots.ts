import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { ResponsePace } from '../../platform/outbound/response-pace.ts';

export interface CallSlot {
  /** The rate limit that all concurrent calls of the tenant share. */
  readonly pace: ResponsePace;
  /** Releases the slot. Safe to call more than once. */
  release(): void;
}

/** The share of a tenant's calls that callers without an API key can take up, so that they never block the others. */
const keylessShare = 0.5;

/**
 * The concurrent calls of each tenant in this process. There is no queue, so a call over the limit is rejected at once.
 */
export class CallSlots {
  readonly #callsMax: number;
  readonly #bytesPerSecond: number;
  readonly #tenants = new Map<TenantId, { readonly pace: ResponsePace; calls: number; keyless: number }>();

  constructor(limits: { readonly callsPerTenantMax: number; readonly answerBytesPerSecond: number }) {
    this.#callsMax = limits.callsPerTenantMax;
    this.#bytesPerSecond = limits.answerBytesPerSecond;
  }

  take(tenantId: TenantId, isKeyless = false): CallSlot {
    const tenant = this.#tenants.get(tenantId) ?? {
      pace: new ResponsePace(this.#bytesPerSecond),
      calls: 0,
      keyless: 0,
    };
    if (tenant.calls >= this.#callsMax) {
      throw new DomainError(
        'too-many-calls',
        `The tenant has reached its limit of ${this.#callsMax} concurrent proxy calls on this server.`,
      );
    }
    const keylessMax = Math.max(1, Math.floor(this.#callsMax * keylessShare));
    if (isKeyless && tenant.keyless >= keylessMax) {
      throw new DomainError(
        'too-many-calls',
        `The tenant has reached its limit of ${keylessMax} concurrent proxy calls without an API key on this server.`,
      );
    }
    tenant.calls += 1;
    if (isKeyless) tenant.keyless += 1;
    this.#tenants.set(tenantId, tenant);
    let isGiven = false;
    const release = () => {
      if (isGiven) return;
      isGiven = true;
      tenant.calls -= 1;
      if (isKeyless) tenant.keyless -= 1;
      if (tenant.calls === 0) this.#tenants.delete(tenantId);
    };
    return { pace: tenant.pace, release };
  }

  get count(): number {
    return [...this.#tenants.values()].reduce((sum, { calls }) => sum + calls, 0);
  }
}

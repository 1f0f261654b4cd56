import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';

/** An export reads for as long as its client does, and a report of the log reads a large part of it. */
const exportsPerTenantMax = 2;

/** The exports or reports that each tenant has under way in this process. There is no queue: one too many is turned away at once. */
export class ExportSlots {
  readonly #tenants = new Map<TenantId, number>();
  readonly #what: string;

  /** `what` takes the slots, in words for the caller. */
  constructor(what: string) {
    this.#what = what;
  }

  /** Returns what gives the slot back, to be called once. */
  take(tenantId: TenantId): () => void {
    const taken = this.#tenants.get(tenantId) ?? 0;
    if (taken >= exportsPerTenantMax) {
      throw new DomainError(
        'too-many-calls',
        `A tenant can have at most ${exportsPerTenantMax} ${this.#what} under way at a time.`,
      );
    }
    this.#tenants.set(tenantId, taken + 1);
    return () => {
      const left = (this.#tenants.get(tenantId) ?? 1) - 1;
      if (left === 0) this.#tenants.delete(tenantId);
      else this.#tenants.set(tenantId, left);
    };
  }
}

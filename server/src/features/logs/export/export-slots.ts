import { DomainError } from '../../../core/errors/domain-error.ts';
import type { TenantId } from '../../../core/identity/ids.ts';

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

  take(tenantId: TenantId): ExportSlot {
    const taken = this.#tenants.get(tenantId) ?? 0;
    if (taken >= exportsPerTenantMax) {
      throw new DomainError(
        'too-many-calls',
        `A tenant can have at most ${exportsPerTenantMax} ${this.#what} under way at a time.`,
      );
    }
    this.#tenants.set(tenantId, taken + 1);
    return new ExportSlot(() => {
      const left = (this.#tenants.get(tenantId) ?? 1) - 1;
      if (left === 0) this.#tenants.delete(tenantId);
      else this.#tenants.set(tenantId, left);
    });
  }
}

/** The place of one export. A page may be long in coming: until it has, the place stays taken, whether or not anybody waits. */
export class ExportSlot {
  readonly #giveBack: () => void;
  #isOver = false;
  #isReading = false;

  constructor(giveBack: () => void) {
    this.#giveBack = giveBack;
  }

  /** To be called once, when the client has had everything or is gone. */
  end(): void {
    this.#isOver = true;
    if (!this.#isReading) this.#giveBack();
  }

  /** Reads the next page, unless nobody wants it any more: pages that hold nothing are never written, so nothing else would tell. */
  async read<T>(readPage: () => Promise<T>): Promise<T> {
    if (this.#isOver) throw new DomainError('request-timeout', 'The client of this export has gone.');
    this.#isReading = true;
    try {
      return await readPage();
    } finally {
      this.#isReading = false;
      if (this.#isOver) this.#giveBack();
    }
  }
}

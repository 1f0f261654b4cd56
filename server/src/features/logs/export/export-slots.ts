import { DomainError } from '../../../core/errors/domain-error.ts';
import type { TenantId } from '../../../core/identity/ids.ts';

/**
 * The limit is low because an export runs for as long as its client reads, and a report reads a large part of the log.
 */
const exportsPerTenantMax = 2;

/**
 * Limits the running exports or reports of each tenant in this process. There is no queue: a request above the limit is
 * rejected at once.
 */
export class ExportSlots {
  readonly #tenants = new Map<TenantId, number>();
  readonly #what: string;

  /** `what` describes the users of the slots in the error message. */
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

/**
 * The slot of one export. It stays occupied until the current page has been read, even if the client has disconnected.
 */
export class ExportSlot {
  readonly #giveBack: () => void;
  #isOver = false;
  #isReading = false;

  constructor(giveBack: () => void) {
    this.#giveBack = giveBack;
  }

  /** Ends the export. It must be called once, when the client has received everything or has disconnected. */
  end(): void {
    this.#isOver = true;
    if (!this.#isReading) this.#giveBack();
  }

  /**
   * Reads the next page, unless the client has disconnected. Empty pages are never written, so nothing else would
   * detect that.
   */
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

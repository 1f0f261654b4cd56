import type { Caller } from '../../../core/identity/caller.ts';
import type { AuditEvent } from '../../../platform/audit/record/audit-event.ts';
import type { AuditLog } from '../../../platform/audit/record/audit-log.ts';
import { FairLanes } from '../../../platform/waiting/fair-lanes.ts';
import type { StoredToken, VisibleToken } from '../model/token.ts';
import { shortPageBytesMax } from './token-query-store.ts';

export interface Shown {
  readonly items: readonly VisibleToken[];
}

/** A page and the events that have to be recorded before a caller gets it. */
export interface MadePage<Page extends Shown> {
  readonly page: Page;
  readonly events: readonly AuditEvent[];
}

const limits = { slotsMax: 6, tenantMax: 2, waitingMax: 500, waitMaxMs: 5_000 } as const;

/** Limits concurrent lists, and records what they show. */
export class TokenListLanes {
  /**
   * A list uses more CPU than any other work of the same duration, so only a few run at a time. The limit per tenant is
   * so low that two tenants with slow searches leave a slot for others. The last slot is reserved for the vault itself.
   */
  readonly #lanes = new FairLanes(limits);
  /**
   * Lanes for pages that are already found. Slots become free within milliseconds, so that no page becomes stale while
   * it waits.
   */
  readonly #views = new FairLanes(limits);
  readonly #audit: AuditLog;

  constructor(audit: AuditLog) {
    this.#audit = audit;
  }

  /**
   * Builds a page as soon as there is a free slot, and resolves once its events are recorded. The slot is released
   * before that, so that the records of several lists share a commit, which takes longer than a list. Long pages keep
   * their slot until then, so that no more of them are in memory than there are slots.
   */
  run<Page extends Shown>(caller: Caller, makePage: () => Promise<MadePage<Page>>): Promise<Page> {
    return this.#runIn(this.#lanes, caller, makePage);
  }

  /** Does the same as `run` for a page that only has to be shown. */
  show<Page extends Shown>(caller: Caller, makePage: () => Promise<MadePage<Page>>): Promise<Page> {
    return this.#runIn(this.#views, caller, makePage);
  }

  async #runIn<Page extends Shown>(
    lanes: FairLanes,
    caller: Caller,
    makePage: () => Promise<MadePage<Page>>,
  ): Promise<Page> {
    const { page, events } = await lanes.run(caller.tenantId, async () => {
      const made = await makePage();
      if (bytesOf(made.page) <= shortPageBytesMax) return made;
      await this.#audit.appendAll(caller, made.events);
      return { page: made.page, events: [] };
    });
    await this.#audit.appendAll(caller, events);
    return page;
  }
}

function bytesOf({ items }: Shown): number {
  return items.reduce((sum, { token }) => sum + bytesIn(token), 0);
}

function bytesIn({ data, mask }: StoredToken): number {
  return data.length + (mask?.length ?? 0);
}

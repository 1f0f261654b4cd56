import type { Caller } from '../../../core/identity/caller.ts';
import type { AuditEvent } from '../../../platform/audit/audit-event.ts';
import type { AuditLog } from '../../../platform/audit/audit-log.ts';
import { FairLanes } from '../../../platform/waiting/fair-lanes.ts';
import type { StoredToken, VisibleToken } from '../model/token.ts';

/** A page with more data keeps its place until it is recorded. */
const shortPageBytesMax = 64 * 1024;

/** Places for lists, and the records of what they show. */
export class TokenListLanes {
  /**
   * A list takes more of the processor than anything else of its length: few are worked on at a time, and of each tenant so
   * few that two of them with slow searches leave a place to the others. (The last place is kept for the vault itself.)
   */
  readonly #lanes = new FairLanes({ placesMax: 6, tenantMax: 2, waitingMax: 500, waitMaxMs: 5_000 });
  readonly #audit: AuditLog;

  constructor(audit: AuditLog) {
    this.#audit = audit;
  }

  /**
   * Makes a page as soon as there is a place for it, and resolves once its events are recorded. The place is
   * free again before that, so that records of several lists share a commit, which takes longer than a list. Only long pages
   * keep it: no more of them are in memory than there are places.
   */
  async run<Page extends { readonly items: readonly VisibleToken[] }>(
    caller: Caller,
    makePage: () => Promise<{ readonly page: Page; readonly events: readonly AuditEvent[] }>,
  ): Promise<Page> {
    const { page, unrecorded } = await this.#lanes.run(caller.tenantId, async () => {
      const { page: made, events } = await makePage();
      if (bytesOf(made) <= shortPageBytesMax) return { page: made, unrecorded: events };
      await this.#audit.appendAll(caller, events);
      return { page: made, unrecorded: [] };
    });
    await this.#audit.appendAll(caller, unrecorded);
    return page;
  }
}

interface Shown {
  readonly items: readonly VisibleToken[];
}

function bytesOf({ items }: Shown): number {
  return items.reduce((sum, { token }) => sum + bytesIn(token), 0);
}

function bytesIn({ data, mask }: StoredToken): number {
  return data.length + (mask?.length ?? 0);
}

import type { Caller } from '../../core/identity/caller.ts';
import { AuditLog } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { FairLanes } from '../../platform/waiting/fair-lanes.ts';
import type { StoredToken, VisibleToken } from './token.ts';
import { tokenEvent } from './token-event.ts';

/** Records of lists wait no longer than this for those of others. */
const gatherMsMax = 50;
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
  readonly #gatheringAudit: AuditLog;

  constructor(parts: { database: Database; audit: AuditLog; gatherMsMax?: number }) {
    this.#audit = parts.audit;
    // Few lists end at a time, so that each would have a commit of its own, which takes longer than the list. While others
    // of the tenant wait for a place, their records are waited for: they share one commit.
    this.#gatheringAudit = new AuditLog(parts.database, {
      gather: (tenantId) => this.#lanes.whenServed(tenantId, parts.gatherMsMax ?? gatherMsMax),
    });
  }

  /**
   * Makes a page as soon as there is a place for it, and resolves once each token that it shows is recorded. The place is
   * free again before that: only long pages keep it, so that no more of them are in memory than there are places.
   */
  async run<Page extends { readonly items: readonly VisibleToken[] }>(
    caller: Caller,
    makePage: () => Promise<Page>,
  ): Promise<Page> {
    const { page, isRecorded } = await this.#lanes.run(caller.tenantId, async () => {
      const made = await makePage();
      const isLong = bytesOf(made) > shortPageBytesMax;
      if (isLong) await this.#audit.appendAll(caller, toEvents(made));
      return { page: made, isRecorded: isLong };
    });
    if (!isRecorded) await this.#gatheringAudit.appendAll(caller, toEvents(page));
    return page;
  }
}

interface Shown {
  readonly items: readonly VisibleToken[];
}

function toEvents({ items }: Shown) {
  return items.map(({ token }) => tokenEvent(token, 'read'));
}

function bytesOf({ items }: Shown): number {
  return items.reduce((sum, { token }) => sum + bytesIn(token), 0);
}

function bytesIn({ data, mask }: StoredToken): number {
  return data.length + (mask?.length ?? 0);
}

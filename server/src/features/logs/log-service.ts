import type { Caller } from '../../core/identity/caller.ts';
import { noSingleEntity, successEvent } from '../../platform/audit/audit-event.ts';
import type { AuditLog } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Log, LogCursor, LogFilter } from './log.ts';
import { entityCountMax, LogStore } from './log-store.ts';

export interface LogPage {
  readonly totalItems: number;
  readonly items: readonly Log[];
  readonly hasMore: boolean;
}

/** The audit log for those who may read it. Reading it is recorded like everything else. */
export class LogService {
  readonly #database: Database;
  readonly #audit: AuditLog;

  constructor(parts: { database: Database; audit: AuditLog }) {
    this.#database = parts.database;
    this.#audit = parts.audit;
  }

  async list(
    caller: Caller,
    filter: LogFilter,
    slice: { readonly offset: number; readonly size: number; readonly after: LogCursor | undefined },
  ): Promise<LogPage> {
    const page = await this.#database.forTenant(caller.tenantId, async (tx) => {
      const store = new LogStore(tx, caller.tenantId);
      const totalItems = await store.count(filter);
      // Nobody has to walk a long log to find out that it ends before the page asked for.
      const isExact = filter.entityId === undefined || totalItems < entityCountMax;
      if (slice.offset > 0 && slice.offset >= totalItems && isExact) return { totalItems, items: [], hasMore: false };
      // One more than asked for tells whether there is another page.
      const found = await store.list(filter, { offset: slice.offset, limit: slice.size + 1, after: slice.after });
      return { totalItems, items: found.slice(0, slice.size), hasMore: found.length > slice.size };
    });
    await this.recordRead(caller);
    return page;
  }

  /** Durable before the answer leaves. */
  async recordRead(caller: Caller): Promise<void> {
    await this.#audit.append(caller, successEvent('log', noSingleEntity, 'read'));
  }
}

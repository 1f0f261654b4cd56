import { invalidField } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { type AuditEvent, noSingleEntity, successEvent } from '../../platform/audit/audit-event.ts';
import { type AuditLog, recordInTransaction } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Log, LogCursor, LogFilter } from './log.ts';
import { FairLanes } from '../../platform/waiting/fair-lanes.ts';
import { countMax, LogStore, wayTo } from './log-store.ts';

export interface LogPage {
  readonly totalItems: number;
  readonly items: readonly Log[];
  /** Where the next page begins; undefined behind the last. */
  readonly next: LogCursor | undefined;
}

/** The audit log for those who may read it. Reading it is recorded like everything else. */
export class LogService {
  readonly #database: Database;
  readonly #audit: AuditLog;
  /**
   * Filters that never meet in one record make the database look at thousands of minutes: as with lists of tokens, so few are
   * worked on for one tenant that the others have places left. (The last place is kept for the vault itself.)
   */
  readonly #lanes = new FairLanes({ placesMax: 6, tenantMax: 2, waitingMax: 500, waitMaxMs: 5_000 });

  constructor(parts: { database: Database; audit: AuditLog }) {
    this.#database = parts.database;
    this.#audit = parts.audit;
  }

  async list(
    caller: Caller,
    filter: LogFilter,
    slice: { readonly offset: number; readonly size: number; readonly after: LogCursor | undefined },
  ): Promise<LogPage> {
    const page = await this.#read(caller, async (store) => {
      const { total, isExact } = await store.count(filter);
      // Nobody has to walk a long log to find out that it ends before the page asked for.
      if (slice.offset > 0 && slice.offset >= total && isExact)
        return { totalItems: total, items: [], next: undefined };
      if (wayTo(filter) === 'facets' && slice.offset >= countMax)
        throw invalidField('page', `reaches ${countMax} records with these filters; follow \`next\` for more`);
      return { totalItems: total, ...(await readPage(store, filter, slice)) };
    });
    await this.recordRead(caller, filter);
    return page;
  }

  /** Every record that fits, newest first, in pages of one short transaction each. */
  async *listAll(caller: Pick<Caller, 'tenantId'>, filter: LogFilter): AsyncGenerator<readonly Log[]> {
    let after: LogCursor | undefined;
    do {
      const slice = { offset: 0, size: exportPageSize, after };
      const page = await this.#read(caller, (store) => readPage(store, filter, slice));
      yield page.items;
      after = page.next;
    } while (after !== undefined);
  }

  /** Durable before the response leaves. Names the filters, never their values. */
  async recordRead(caller: Caller, filter: LogFilter | undefined): Promise<void> {
    await this.#audit.append(caller, readEvent(filter));
  }

  /** The same for an operator at the command line. */
  async recordReadByOperator(tenantId: TenantId, filter: LogFilter): Promise<void> {
    await this.#database.forTenant(tenantId, (tx) => recordInTransaction(tx, tenantId, 'system', readEvent(filter)));
  }

  #read<T>({ tenantId }: Pick<Caller, 'tenantId'>, work: (store: LogStore) => Promise<T>): Promise<T> {
    return this.#lanes.run(tenantId, () =>
      this.#database.forTenant(tenantId, (tx) => work(new LogStore(tx, tenantId))),
    );
  }
}

function readEvent(filter: LogFilter | undefined): AuditEvent {
  const fields = filter === undefined ? [] : filterNamesOf(filter);
  const event = successEvent('log', noSingleEntity, 'read');
  return fields.length === 0 ? event : { ...event, details: { fields } };
}

const exportPageSize = 500;

async function readPage(
  store: LogStore,
  filter: LogFilter,
  { offset, size, after }: { readonly offset: number; readonly size: number; readonly after: LogCursor | undefined },
): Promise<{ readonly items: readonly Log[]; readonly next: LogCursor | undefined }> {
  // One more than asked for tells whether there is another page.
  const { logs, stoppedAt } = await store.list(filter, { offset, limit: size + 1, after });
  const items = logs.slice(0, size);
  return { items, next: logs.length > size ? items.at(-1) : stoppedAt };
}

function filterNamesOf({ entityType, entityId, requestId, facets, from, to }: LogFilter): string[] {
  const given = { entity_type: entityType, entity_id: entityId, request_id: requestId, start_date: from, end_date: to };
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return [...names, ...facets.map(({ field }) => field)];
}

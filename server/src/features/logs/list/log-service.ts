import { invalidField } from '../../../core/errors/domain-error.ts';
import type { Caller } from '../../../core/identity/caller.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { type AuditEvent, noSingleEntity, successEvent } from '../../../platform/audit/record/audit-event.ts';
import { type AuditLog, recordInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { Database } from '../../../platform/database/database.ts';
import { ExportSlots } from '../export/export-slots.ts';
import type { Log, LogCursor, LogFilter } from '../model/log.ts';
import { FairLanes } from '../../../platform/waiting/fair-lanes.ts';
import { type Clock, processClock, TimeBudget } from '../../../platform/waiting/time-budget.ts';
import { countMax, LogStore, wayTo } from './log-store.ts';

export interface LogPage {
  readonly totalItems: number;
  /** False if there may be more than `totalItems`. */
  readonly isExact: boolean;
  readonly items: readonly Log[];
  /** The time that a search had reached when it ran out of time. `next` continues from there. */
  readonly stoppedAt: Date | undefined;
  /** The start of the next page. Undefined after the last page. */
  readonly next: LogCursor | undefined;
}

/**
 * A search has a deadline because filters that hardly ever match together could make it run almost indefinitely. A
 * total gets less time because it is worth less than the page that it accompanies.
 */
const listMs = 2_000;
const countMs = 1_000;

/** Provides the audit log to callers with read access. Reading it is recorded like everything else. */
export class LogService {
  /** The slots are here because the routes are registered twice. The keys and members of a tenant share its slots. */
  readonly exportSlots = new ExportSlots('log exports');
  readonly reportSlots = new ExportSlots('reports of the log');
  readonly #database: Database;
  readonly #audit: AuditLog;
  /**
   * Filters that never match together make the database read thousands of minutes. The number of concurrent searches
   * per tenant is therefore small, as for lists of tokens, so that slots remain for other tenants. (The last slot is
   * reserved for the vault itself.)
   */
  readonly #lanes = new FairLanes({ slotsMax: 6, tenantMax: 2, waitingMax: 500, waitMaxMs: 5_000 });

  readonly #clock: Clock;

  constructor(parts: { database: Database; audit: AuditLog; clock?: Clock }) {
    this.#database = parts.database;
    this.#audit = parts.audit;
    this.#clock = parts.clock ?? processClock;
  }

  async list(
    caller: Caller,
    filter: LogFilter,
    slice: { readonly offset: number; readonly size: number; readonly after: LogCursor | undefined },
  ): Promise<LogPage> {
    const page = await this.#read(caller, async (store): Promise<LogPage | 'too-far'> => {
      const { total, isExact } = await store.count(filter, new TimeBudget(countMs, this.#clock));
      // There is no need to search a long log if it ends before the requested page.
      if (slice.offset > 0 && slice.offset >= total && isExact)
        return { totalItems: total, isExact, items: [], next: undefined, stoppedAt: undefined };
      if (wayTo(filter) !== 'kinds' && slice.offset >= countMax) return 'too-far';
      return { totalItems: total, isExact, ...(await this.#readPage(store, filter, slice)) };
    });
    // A rejected page is recorded too, because it reveals that there are so many records.
    await this.recordRead(caller, filter);
    if (page === 'too-far')
      throw invalidField('page', `reaches ${countMax} records with these filters; follow \`next\` for more`);
    return page;
  }

  /** Yields every matching record, newest first, in pages. Each page is one short transaction. */
  async *listAll(caller: Pick<Caller, 'tenantId'>, filter: LogFilter): AsyncGenerator<readonly Log[]> {
    let after: LogCursor | undefined;
    do {
      const slice = { offset: 0, size: exportPageSize, after };
      const page = await this.#read(caller, (store) => this.#readPage(store, filter, slice));
      yield page.items;
      after = page.next;
    } while (after !== undefined);
  }

  /** Returns the beginning of the oldest month that has not been dropped. */
  findKeptSince(caller: Pick<Caller, 'tenantId'>): Promise<Date> {
    return this.#read(caller, (store) => store.findKeptSince());
  }

  /** Records a read, durably before the response is sent. The record names the filters, never their values. */
  async recordRead(caller: Caller, filter: LogFilter | undefined): Promise<void> {
    await this.#audit.append(caller, readEvent(filter));
  }

  /** Records a download. It must not look like a page that somebody has opened. */
  async recordDownload(caller: Caller, filter: LogFilter | undefined): Promise<void> {
    const event = readEvent(filter);
    await this.#audit.append(caller, { ...event, details: { via: 'download', ...event.details } });
  }

  /** Records a read by an operator on the command line. */
  async recordReadByOperator(tenantId: TenantId, filter: LogFilter): Promise<void> {
    await this.#database.forTenant(tenantId, (tx) => recordInTransaction(tx, tenantId, 'system', readEvent(filter)));
  }

  async #readPage(
    store: LogStore,
    filter: LogFilter,
    { offset, size, after }: { readonly offset: number; readonly size: number; readonly after: LogCursor | undefined },
  ): Promise<Pick<LogPage, 'items' | 'next' | 'stoppedAt'>> {
    // Reading one more record than requested shows whether there is another page.
    const wanted = { offset, limit: size + 1, after };
    const { logs, stoppedAt } = await store.list(filter, wanted, new TimeBudget(listMs, this.#clock));
    const items = logs.slice(0, size);
    if (logs.length > size) return { items, next: items.at(-1), stoppedAt: undefined };
    return { items, next: stoppedAt, stoppedAt: stoppedAt?.createdAt };
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

function filterNamesOf({ entityType, entityId, requestId, facets, exclusions, from, to }: LogFilter): string[] {
  const given = { entity_type: entityType, entity_id: entityId, request_id: requestId, start_date: from, end_date: to };
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return [...names, ...facets.map(({ field }) => field), ...(exclusions.length === 0 ? [] : ['exclude'])];
}

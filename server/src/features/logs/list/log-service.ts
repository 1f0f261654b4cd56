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
  /** False where there may be more than `totalItems`. */
  readonly isExact: boolean;
  readonly items: readonly Log[];
  /** How far back a search has come that took too long to go on; `next` goes on from there. */
  readonly stoppedAt: Date | undefined;
  /** Where the next page begins; undefined behind the last. */
  readonly next: LogCursor | undefined;
}

/** Filters that hardly ever meet could be looked for without end. A total is worth less than the page it stands beside. */
const listMs = 2_000;
const countMs = 1_000;

/** The audit log for those who may read it. Reading it is recorded like everything else. */
export class LogService {
  /** Here and not beside the routes, which are there twice: a tenant has these for its keys and members together. */
  readonly exportSlots = new ExportSlots('log exports');
  readonly reportSlots = new ExportSlots('reports of the log');
  readonly #database: Database;
  readonly #audit: AuditLog;
  /**
   * Filters that never meet in one record make the database look at thousands of minutes: as with lists of tokens, so few are
   * worked on for one tenant that the others have places left. (The last place is kept for the vault itself.)
   */
  readonly #lanes = new FairLanes({ placesMax: 6, tenantMax: 2, waitingMax: 500, waitMaxMs: 5_000 });

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
      // Nobody has to walk a long log to find out that it ends before the page asked for.
      if (slice.offset > 0 && slice.offset >= total && isExact)
        return { totalItems: total, isExact, items: [], next: undefined, stoppedAt: undefined };
      if (wayTo(filter) !== 'kinds' && slice.offset >= countMax) return 'too-far';
      return { totalItems: total, isExact, ...(await this.#readPage(store, filter, slice)) };
    });
    // A page that is refused tells as well that there is so much.
    await this.recordRead(caller, filter);
    if (page === 'too-far')
      throw invalidField('page', `reaches ${countMax} records with these filters; follow \`next\` for more`);
    return page;
  }

  /** Every record that fits, newest first, in pages of one short transaction each. */
  async *listAll(caller: Pick<Caller, 'tenantId'>, filter: LogFilter): AsyncGenerator<readonly Log[]> {
    let after: LogCursor | undefined;
    do {
      const slice = { offset: 0, size: exportPageSize, after };
      const page = await this.#read(caller, (store) => this.#readPage(store, filter, slice));
      yield page.items;
      after = page.next;
    } while (after !== undefined);
  }

  /** The beginning of the oldest month that has not been dropped. */
  findKeptSince(caller: Pick<Caller, 'tenantId'>): Promise<Date> {
    return this.#read(caller, (store) => store.findKeptSince());
  }

  /** Durable before the response leaves. Names the filters, never their values. */
  async recordRead(caller: Caller, filter: LogFilter | undefined): Promise<void> {
    await this.#audit.append(caller, readEvent(filter));
  }

  /** The same for an operator at the command line. */
  async recordReadByOperator(tenantId: TenantId, filter: LogFilter): Promise<void> {
    await this.#database.forTenant(tenantId, (tx) => recordInTransaction(tx, tenantId, 'system', readEvent(filter)));
  }

  async #readPage(
    store: LogStore,
    filter: LogFilter,
    { offset, size, after }: { readonly offset: number; readonly size: number; readonly after: LogCursor | undefined },
  ): Promise<Pick<LogPage, 'items' | 'next' | 'stoppedAt'>> {
    // One more than asked for tells whether there is another page.
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

function filterNamesOf({ entityType, entityId, requestId, facets, from, to }: LogFilter): string[] {
  const given = { entity_type: entityType, entity_id: entityId, request_id: requestId, start_date: from, end_date: to };
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return [...names, ...facets.map(({ field }) => field)];
}

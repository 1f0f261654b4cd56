import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { Parameters } from '../../../platform/database/statement-parameters.ts';
import type { TimeBudget } from '../../../platform/waiting/time-budget.ts';
import type { Log, LogFilter, LogSlice } from '../model/log.ts';
import { cursorAt, endOf } from '../model/log-cursor.ts';
import { conditionsOf, following, kindOf, logColumns, newestFirst, typesOf } from '../model/log-sql.ts';
import type { Counted, LogWalk, Wanted } from '../model/log-walk.ts';
import { StepPace } from '../model/step-pace.ts';

/** The number of records that one statement reads. */
const recordsPerStep = { first: 2_000, max: 20_000 };

/** A range with about as many records as one statement may read. */
interface Slice {
  readonly from: Date;
  readonly to: Date | undefined;
  readonly isLast: boolean;
}

/**
 * Reads the records of an entity, of a request or of the whole log, newest first. The number of records that match the
 * other filters is unknown, so it reads in slices. The index shows how far back each slice must reach to contain enough
 * records.
 */
export class SliceWalkStore implements LogWalk {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  async list(filter: LogFilter, { limit, after }: Wanted, budget: TimeBudget): Promise<LogSlice> {
    const found: Log[] = [];
    for await (const { from, to, isLast } of this.#slices(filter, endOf(after), budget)) {
      found.push(...(await this.#listIn({ ...filter, from, to }, { limit: limit - found.length, after })));
      if (found.length >= limit || isLast) break;
      if (budget.isSpent) return { logs: found, stoppedAt: cursorAt(from) };
    }
    return { logs: found };
  }

  async count(filter: LogFilter, limit: number, budget: TimeBudget): Promise<Counted> {
    let total = 0;
    for await (const { from, to, isLast } of this.#slices(filter, endOf(undefined), budget)) {
      total += await this.#countIn({ ...filter, from, to }, limit - total);
      if (total >= limit) return { total, isExact: false };
      if (isLast) break;
      if (budget.isSpent) return { total, isExact: false };
    }
    return { total, isExact: true };
  }

  async *#slices(filter: LogFilter, end: number, { clock }: TimeBudget): AsyncGenerator<Slice> {
    const pace = new StepPace(clock, recordsPerStep);
    const last = Math.min(end, filter.to?.getTime() ?? end);
    let to = Number.isFinite(last) ? new Date(last) : undefined;
    for (;;) {
      const done = pace.begin();
      const { from, records } = await this.#findStart({ ...filter, to }, pace.size);
      if (from === null) return;
      yield { from, to, isLast: records < pace.size };
      done();
      to = from;
    }
  }

  /**
   * Finds the time at which the newest `count` records begin. Records of the same moment stay together, so there may be
   * more.
   */
  async #findStart(filter: LogFilter, count: number): Promise<{ from: Date | null; records: number }> {
    const parameters = new Parameters(this.#tenantId);
    const newest = `order by r.created_at desc fetch first ${parameters.add(count)} rows with ties`;
    const bare = { ...filter, entityType: undefined, facets: [], exclusions: [] };
    const where = `r.tenant_id = $1 ${conditionsOf(bare, parameters)}`;
    const isOfOne = filter.entityId !== undefined || filter.requestId !== undefined;
    const from = isOfOne
      ? `select r.created_at from audit_records r where ${where} ${newest}`
      : `select r.created_at from unnest(${parameters.add(typesOf(filter))}::text[]) as kind(entity_type) cross join lateral (
          select r.created_at from audit_records r where ${where} and r.entity_type = kind.entity_type ${newest}) r ${newest}`;
    const [row] = await this.#tx.query<{ from: Date | null; records: number }>({
      text: `select min(created_at) as "from", count(*)::float8 as records from (${from}) newest`,
      values: parameters.values,
    });
    return row ?? { from: null, records: 0 };
  }

  #listIn(filter: LogFilter, { limit, after }: Wanted): Promise<Log[]> {
    const parameters = new Parameters(this.#tenantId);
    return this.#tx.query({
      text: `select ${logColumns} from audit_records r where r.tenant_id = $1 ${this.#fitting(filter, parameters, after)}
        ${newestFirst} limit ${parameters.add(limit)}`,
      values: parameters.values,
    });
  }

  async #countIn(filter: LogFilter, limit: number): Promise<number> {
    const parameters = new Parameters(this.#tenantId);
    const [row] = await this.#tx.query<{ n: number }>({
      text: `select count(*)::float8 as n from (select 1 from audit_records r
          where r.tenant_id = $1 ${this.#fitting(filter, parameters)} limit ${parameters.add(limit)}) counted`,
      values: parameters.values,
    });
    return row?.n ?? 0;
  }

  /** Returns the conditions. Without an entity or a request, the kinds come first, as in the primary key. */
  #fitting(filter: LogFilter, parameters: Parameters, after?: Wanted['after']): string {
    const isOfOne = filter.entityId !== undefined || filter.requestId !== undefined;
    const kinds = isOfOne
      ? kindOf(filter, parameters)
      : `and r.entity_type = any(${parameters.add(typesOf(filter))}::text[])`;
    return `${kinds} ${conditionsOf(filter, parameters)} ${following(after, parameters)}`;
  }
}

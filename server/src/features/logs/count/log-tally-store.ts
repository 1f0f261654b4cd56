import type { TenantId } from '../../../core/identity/ids.ts';
import type { FacetField } from '../../../platform/audit/record/audit-facet.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { Parameters } from '../../../platform/database/statement-parameters.ts';
import type { Facet } from '../model/log.ts';
import type { CountRange } from './log-count-range.ts';
import { toSqlTime } from '../model/log-sql.ts';
import { splitTime } from '../model/time-grains.ts';

/** The number of records of one kind in one interval. */
export interface KindCount {
  readonly start: number;
  readonly entityType: string;
  readonly records: number;
}

export interface ValueCount {
  readonly value: string;
  readonly records: number;
}

export interface Ranking {
  /** The values, most frequent first. */
  readonly values: readonly ValueCount[];
  /**
   * True if there are more counters than are read at a time. A value that was frequent long ago may then be missing.
   */
  readonly isCut: boolean;
}

interface Asked {
  readonly types: readonly string[];
  readonly range: CountRange;
}

/** This is more than a busy tenant has for one field in a year, and takes a tenth of a second to read. */
const countersMax = 50_000;

/**
 * Counts how often values occur, using the counters alone. A period is an index range, so the cost does not depend on
 * the length of the log. The number of addresses or destinations in an hour has no limit. Ranking them reads the newest
 * counters up to a limit, and everything else reads given values only.
 */
export class LogTallyStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  /** Counts all records. Every record has an outcome, so the counters of that field include them all. */
  countAll(asked: Asked): Promise<KindCount[]> {
    return this.#countKinds(asked, () => `f.field = 'outcome'`);
  }

  countOf({ field, value }: Facet, asked: Asked): Promise<KindCount[]> {
    return this.#countKinds(
      asked,
      (parameters) => `f.field = ${parameters.add(field)} and f.value = ${parameters.add(value)}`,
    );
  }

  /** Sums the records of each kind of entity over the whole range, most frequent first. */
  async sumKinds({ types, range }: Asked): Promise<ValueCount[]> {
    const parameters = new Parameters(this.#tenantId);
    const kinds = parameters.add(types);
    const parts = splitTime(range.from, range.to, 'hour').map(
      ({ grain, ...part }) => `select f.entity_type, f.records from audit_facets f
        where f.tenant_id = $1 and f.field = 'outcome' and f.grain = '${grain}' and f.entity_type = any(${kinds}::text[])
          and ${within(part, parameters)}`,
    );
    const counts = await this.#tx.query<ValueCount>({
      text: `select entity_type as value, sum(records)::float8 as records from (${parts.join(' union all ')}) counters
        group by entity_type`,
      values: parameters.values,
    });
    return mostFirst(counts);
  }

  /** Counts some values of a field by interval. */
  countValues(
    field: FacetField,
    values: readonly string[],
    { types, range }: Asked,
  ): Promise<(ValueCount & { readonly start: number })[]> {
    const parameters = new Parameters(this.#tenantId);
    const [name, wanted, kinds] = [field, values, types].map((value) => parameters.add(value));
    // The values are looked up one by one. With a single condition for all of them, PostgreSQL may read every value in
    // the range.
    return this.#tx.query({
      text: `select extract(epoch from f.bucket)::float8 * 1000 as start, wanted.value, f.records::float8 as records
        from unnest(${wanted}::text[]) as wanted(value) cross join lateral (
          select f.bucket, sum(f.records) as records from audit_facets f
          where f.tenant_id = $1 and f.field = ${name} and f.value = wanted.value and f.grain = ${parameters.add(range.interval)}
            and f.entity_type = any(${kinds}::text[]) and ${within(range, parameters)}
          group by f.bucket) f`,
      values: parameters.values,
    });
  }

  /** Counts some values of a field over the whole range. */
  async sumValues(field: FacetField, values: readonly string[], { types, range }: Asked): Promise<ValueCount[]> {
    const parameters = new Parameters(this.#tenantId);
    const [name, wanted, kinds] = [field, values, types].map((value) => parameters.add(value));
    const sums = splitTime(range.from, range.to, 'hour').map(
      ({ grain, ...part }) => `coalesce((select sum(f.records) from audit_facets f
        where f.tenant_id = $1 and f.field = ${name} and f.value = wanted.value and f.grain = '${grain}'
          and f.entity_type = any(${kinds}::text[]) and ${within(part, parameters)}), 0)`,
    );
    const counts = await this.#tx.query<ValueCount>({
      text: `select wanted.value, (${sums.join(' + ')})::float8 as records from unnest(${wanted}::text[]) as wanted(value)`,
      values: parameters.values,
    });
    return mostFirst(counts.filter(({ records }) => records > 0));
  }

  /** Ranks the values of a field. It reads the counters of whole days, and hours only at the ends. */
  async rankValues(field: FacetField, limit: number, { types, range }: Asked): Promise<Ranking> {
    const parameters = new Parameters(this.#tenantId);
    const [name, kinds] = [field, types].map((value) => parameters.add(value));
    const parts = splitTime(range.from, range.to, 'hour').map(
      ({ grain, ...part }) => `(select f.value, f.entity_type, f.records from audit_facets f
        where f.tenant_id = $1 and f.field = ${name} and f.grain = '${grain}' and ${within(part, parameters)}
        order by f.bucket desc limit ${countersMax})`,
    );
    // The newest part comes first. The kind is filtered outside because the limit applies to the counters read.
    const rows = await this.#tx.query<{ value: string | null; records: number; counters: number }>({
      text: `with counters as materialized (select * from (${parts.toReversed().join(' union all ')}) newest limit ${countersMax})
        select ranked.value, ranked.records, read.counters from (select count(*)::float8 as counters from counters) read
        left join lateral (select value, sum(records)::float8 as records from counters where entity_type = any(${kinds}::text[])
          group by value order by 2 desc, 1 limit ${parameters.add(limit)}) ranked on true`,
      values: parameters.values,
    });
    const isCut = (rows[0]?.counters ?? 0) >= countersMax;
    const values = rows.flatMap(({ value, records }) => (value === null ? [] : [{ value, records }]));
    if (!isCut) return { values: mostFirst(values), isCut };
    // The counters of each value were read only in part, so the values are summed again.
    const found = values.map(({ value }) => value);
    return { values: await this.sumValues(field, found, { types, range }), isCut };
  }

  #countKinds({ types, range }: Asked, toCondition: (parameters: Parameters) => string): Promise<KindCount[]> {
    const parameters = new Parameters(this.#tenantId);
    return this.#tx.query({
      text: `select extract(epoch from f.bucket)::float8 * 1000 as start, f.entity_type as "entityType",
          sum(f.records)::float8 as records
        from audit_facets f where f.tenant_id = $1 and ${toCondition(parameters)} and f.grain = ${parameters.add(range.interval)}
          and f.entity_type = any(${parameters.add(types)}::text[]) and ${within(range, parameters)}
        group by f.bucket, f.entity_type`,
      values: parameters.values,
    });
  }
}

export function mostFirst<Count extends ValueCount>(counts: readonly Count[]): Count[] {
  return counts.toSorted((a, b) => b.records - a.records || (a.value < b.value ? -1 : 1));
}

function within({ from, to }: Pick<CountRange, 'from' | 'to'>, parameters: Parameters): string {
  return `f.bucket >= ${parameters.add(toSqlTime(from))} and f.bucket < ${parameters.add(toSqlTime(to))}`;
}

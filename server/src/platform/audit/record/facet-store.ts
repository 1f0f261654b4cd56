import type { Transaction } from '../../database/database.ts';
import { takeLock } from '../../database/transaction-lock.ts';
import { facetFields, facetValueLengthMax } from './audit-facet.ts';

const values = facetFields.map((field) => `r.${field}::text as ${field}`).join(', ');
const pairs = facetFields.map((field) => `('${field}', g.${field})`).join(', ');

/**
 * Groups identical records before splitting them into a row for each field. Under load most records are identical, so
 * each one adds only a fraction of a row.
 */
const countNextText = `with place as (
    select kept_to, sealed_to from audit_facet_position, audit_sealing
  ), taken as materialized (
    select r.sealing_order, r.tenant_id, r.entity_type, date_trunc('minute', r.created_at, 'UTC') as minute, ${values}
    from audit_records r
    where r.sealing_order >= (select kept_to from place) and r.sealing_order < (select sealed_to from place)
    order by r.sealing_order fetch first $1 rows with ties
  ), grouped as (
    select tenant_id, entity_type, minute, ${facetFields.join(', ')}, count(*) as records from taken
    group by tenant_id, entity_type, minute, ${facetFields.join(', ')}
  ), counted as (
    insert into audit_facets as kept (tenant_id, field, value, grain, entity_type, bucket, records, minutes)
    select g.tenant_id, facet.field, facet.value, grain, g.entity_type, date_trunc(grain, g.minute, 'UTC'), sum(g.records),
      case grain when 'hour' then bit_or(1::bigint << extract(minute from g.minute)::int) end
    from grouped g cross join lateral (values ${pairs}) as facet(field, value) cross join unnest(array['hour', 'day']) as grain
    where length(facet.value) <= ${facetValueLengthMax}
    group by 1, 2, 3, 4, 5, 6
    on conflict (tenant_id, field, value, grain, entity_type, bucket)
    do update set records = kept.records + excluded.records, minutes = kept.minutes | excluded.minutes
  ), moved as (
    update audit_facet_position set kept_to = case
      when (select count(*) from taken) >= $1 then (select max(sealing_order) + 1 from taken)
      else (select sealed_to from place) end
    where kept_to < (select sealed_to from place)
  )
  select count(*)::float8 as n from taken`;

export class FacetStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /**
   * Takes the lock until the end of the transaction. No two processes of the installation can hold it at the same time.
   */
  becomeKeeper(): Promise<boolean> {
    return takeLock(this.#tx, 'facets-lock');
  }

  /** Counts the next sealed records. A transaction is never split, so there may be more than `limit`. */
  async countNext(limit: number): Promise<number> {
    const [row] = await this.#tx.query<{ n: number }>({ name: 'facets-count', text: countNextText, values: [limit] });
    return row?.n ?? 0;
  }
}

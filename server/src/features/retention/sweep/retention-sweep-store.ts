import type { TenantId, TokenId } from '../../../core/identity/ids.ts';
import { recordAllInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { Parameters } from '../../../platform/database/statement-parameters.ts';
import { countSlot, removeWithGone, tokenEvent } from '../../tokens/index.ts';
import { before, isPastAge, judgedShelves, mayBeUnused, showsUse } from './retention-sql.ts';

/** A token that a rule removed. */
interface Gone {
  readonly id: TokenId;
  readonly type: string;
  readonly containers: string[];
}

/** How far the search for unused tokens has come in a shelf. */
export interface UnusedCursor {
  readonly createdAt: Date;
  readonly id: string;
}

/** What a step of the search for unused tokens did. */
export interface UnusedStep {
  readonly looked: number;
  readonly next: UnusedCursor | undefined;
}

/** Applies the rules of one tenant to its tokens. Each removal is recorded in the transaction that removes. */
export class RetentionSweepStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  async hasRules(): Promise<boolean> {
    const rows = await this.#tx.query({
      text: 'select from retention_rules where tenant_id = $1 and effective_at <= now() limit 1',
      values: [this.#tenantId],
    });
    return rows.length > 0;
  }

  /** Removes up to `limit` tokens that are past their age. A token that somebody is changing is left for the next run. */
  async removeOld(limit: number): Promise<number> {
    const parameters = new Parameters(this.#tenantId);
    const judged = judgedShelves(parameters);
    const most = parameters.add(limit);
    const slot = Number(parameters.add(countSlot()).slice(1));
    const gone = await this.#tx.query<Gone>({
      text: `with ${judged}, gone as (
          delete from tokens where tenant_id = $1 and id = any (array(
            select due.id from judged j cross join lateral (
              select t.id from tokens t where ${isPastAge} order by t.created_at, t.id limit ${most}
              for update skip locked) as due
            limit ${most}))
          returning id, type, containers, terms, created_at
        ), ${removeWithGone(slot)}
        select id, type, containers from gone`,
      values: parameters.values,
    });
    await this.#record(gone);
    return gone.length;
  }

  /** Lists the shelves whose tokens a rule keeps only while they are used, with the period in days. */
  listUsed(): Promise<{ shelf: string; days: number }[]> {
    const parameters = new Parameters(this.#tenantId);
    return this.#tx.query({
      text: `with ${judgedShelves(parameters)}
        select shelf, unused_for as days from judged where unused_for is not null order by shelf`,
      values: parameters.values,
    });
  }

  /**
   * Looks at the next old tokens of a shelf, and removes those that the log has no use of within the period. Those that
   * are used are not looked at again before their last use is that long ago. A read therefore writes nothing beyond its
   * record, and a token costs one look within each period. It stops if the rules no longer have this period.
   */
  async removeUnused(
    { shelf, days }: { readonly shelf: string; readonly days: number },
    { after, limit }: { readonly after: UnusedCursor | undefined; readonly limit: number },
  ): Promise<UnusedStep> {
    const [row] = await this.#tx.query<{ looked: number; lastAt: Date | null; lastId: string | null; gone: Gone[] }>({
      text: `with ${judgedShelves(new Parameters(this.#tenantId))},
        j as (select shelf, unused_for from judged where shelf = $2 and unused_for = $3::integer), looked as materialized (
          select t.id, t.created_at, (select max(r.created_at) from audit_records r where ${showsUse}) as used_at
          from j cross join lateral (
            select t.id, t.created_at from tokens t where ${mayBeUnused}
              and (t.last_use_at is null or t.last_use_at <= ${before('j.unused_for')})
              and ($4::timestamptz is null or (t.created_at, t.id) > ($4, $5))
            order by t.created_at, t.id limit $6 for update skip locked) as t
        ), kept as (
          update tokens t set last_use_at = looked.used_at from looked
          where t.tenant_id = $1 and t.id = looked.id and looked.used_at is not null
        ), gone as (
          delete from tokens where tenant_id = $1 and id = any (array(select id from looked where used_at is null))
          returning id, type, containers, terms, created_at
        ), ${removeWithGone(7)}
        select count(*)::integer as looked, (array_agg(created_at order by created_at desc, id desc))[1] as "lastAt",
          (array_agg(id order by created_at desc, id desc))[1] as "lastId",
          coalesce((select json_agg(json_build_object('id', id, 'type', type, 'containers', containers)) from gone), '[]') as gone
        from looked`,
      values: [this.#tenantId, shelf, days, after?.createdAt ?? null, after?.id ?? null, limit, countSlot()],
    });
    if (row === undefined || row.lastAt === null || row.lastId === null) return { looked: 0, next: undefined };
    await this.#record(row.gone);
    return { looked: row.looked, next: { createdAt: row.lastAt, id: row.lastId } };
  }

  /** Notes that all tokens of the tenant were judged. */
  async noteSwept(what: 'age' | 'use'): Promise<void> {
    const column = what === 'use' ? 'use_swept_at' : 'swept_at';
    await this.#tx.query({
      text: `insert into retention_sweeps (tenant_id, swept_at, use_swept_at) values ($1, case when $2 then to_timestamp(0) else now() end, case when $2 then now() end)
        on conflict (tenant_id) do update set ${column} = now()`,
      values: [this.#tenantId, what === 'use'],
    });
  }

  async #record(gone: readonly Gone[]): Promise<void> {
    if (gone.length === 0) return;
    const events = gone.map((token) =>
      tokenEvent(token, 'expire', { transform: undefined, details: { reason: 'retention' } }),
    );
    await recordAllInTransaction(this.#tx, this.#tenantId, 'system', events);
  }
}

/** Returns whether nothing was sealed in a month or before, so that no month of the log can be missing. */
export async function isLogYounger(tx: Transaction, month: string): Promise<boolean> {
  const rows = await tx.query({
    text: 'select from audit_checkpoints where month <= $1 limit 1',
    values: [month],
  });
  return rows.length === 0;
}

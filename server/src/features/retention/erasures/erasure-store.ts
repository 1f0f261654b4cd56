import type { TenantId } from '../../../core/identity/ids.ts';
import { isClosed } from '../../../platform/database/closed-tenant-sql.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { countedHours, type Erasure, type ErasureStatus, type Selection } from './erasure.ts';

const columns = `id, status, selection, is_limited as "isLimited", counted::float8 as counted,
  confirmed::float8 as confirmed, held::float8 as held, removed::float8 as removed, created_by as "createdBy", created_key as "createdKey", created_at as "createdAt",
  confirmed_at as "confirmedAt", started_at as "startedAt", sealing_at as "sealingAt", finished_at as "finishedAt", reason`;
const isOpen = `status in ('counted', 'awaiting_approval', 'queued', 'running', 'sealing')`;

/** A caller sees the erasures of its own key, or all of them if it is null. */
export type KeyScope = string | null;

export interface NewErasure {
  readonly id: string;
  readonly selection: Selection;
  readonly isLimited: boolean;
  readonly counted: number;
  readonly held: number;
  readonly createdBy: string | null;
  readonly createdKey: string | null;
}

/** The erasures of one tenant. */
export class ErasureStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  async countOpen(): Promise<number> {
    const [row] = await this.#tx.query<{ total: number }>({
      text: `select count(*)::integer as total from erasures where tenant_id = $1 and ${isOpen}`,
      values: [this.#tenantId],
    });
    return row?.total ?? 0;
  }

  async insert({ id, selection, isLimited, counted, held, createdBy, createdKey }: NewErasure): Promise<void> {
    await this.#tx.query({
      text: `insert into erasures (tenant_id, id, selection, is_limited, counted, held, created_by, created_key)
        values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      values: [this.#tenantId, id, JSON.stringify(selection), isLimited, counted, held, createdBy, createdKey],
    });
  }

  async find(id: string, applicationId: KeyScope = null): Promise<Erasure | undefined> {
    const [row] = await this.#tx.query<Erasure>({
      text: `select ${columns} from erasures
        where tenant_id = $1 and id = $2 and ($3::uuid is null or (created_by = $3 and created_key is not null))`,
      values: [this.#tenantId, id, applicationId],
    });
    return row;
  }

  /** Works like `find`, and locks the row until this transaction ends. */
  async lock(id: string, applicationId: KeyScope = null): Promise<Erasure | undefined> {
    await this.#tx.query({
      text: 'select from erasures where tenant_id = $1 and id = $2 for update',
      values: [this.#tenantId, id],
    });
    return this.find(id, applicationId);
  }

  /** Lists erasures, newest first. */
  list(page: { readonly limit: number; readonly offset: number }, applicationId: KeyScope): Promise<Erasure[]> {
    return this.#tx.query({
      text: `select ${columns} from erasures
        where tenant_id = $1 and ($4::uuid is null or (created_by = $4 and created_key is not null))
        order by created_at desc, id desc limit $2 offset $3`,
      values: [this.#tenantId, page.limit, page.offset, applicationId],
    });
  }

  async count(applicationId: KeyScope): Promise<number> {
    const [row] = await this.#tx.query<{ total: number }>({
      text: `select count(*)::integer as total from erasures
        where tenant_id = $1 and ($2::uuid is null or (created_by = $2 and created_key is not null))`,
      values: [this.#tenantId, applicationId],
    });
    return row?.total ?? 0;
  }

  /** Confirms a counted erasure. No more than `confirmed` tokens are erased, and none that are created from then on. */
  async confirm(
    id: string,
    { status, confirmed }: { readonly status: 'awaiting_approval' | 'queued'; readonly confirmed: number },
  ): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `update erasures set status = $3, confirmed = $5, confirmed_at = now()
        where tenant_id = $1 and id = $2 and status = 'counted' and created_at > now() - make_interval(hours => $4) returning 1`,
      values: [this.#tenantId, id, status, countedHours, confirmed],
    });
    return rows.length > 0;
  }

  async setStatus(id: string, status: ErasureStatus): Promise<void> {
    await this.#tx.query({
      text: `update erasures set status = $3,
          started_at = case when $3 = 'running' then coalesce(started_at, now()) else started_at end
        where tenant_id = $1 and id = $2`,
      values: [this.#tenantId, id, status],
    });
  }

  /** Notes a batch of removals with its position in the log, in the transaction that removes and records them. */
  async addBatch(
    id: string,
    { tokens, isLimited }: { readonly tokens: number; readonly isLimited: boolean },
  ): Promise<void> {
    await this.#tx.query({
      text: `with batch as (
          insert into erasure_batches (tenant_id, erasure_id, sealing_order, tokens)
          values ($1, $2, audit_order(pg_current_xact_id()), $3))
        update erasures set removed = removed + $3, is_limited = is_limited or $4 where tenant_id = $1 and id = $2`,
      values: [this.#tenantId, id, tokens, isLimited],
    });
  }

  /**
   * Notes that all tokens are removed, and what the run has left. The receipt says that, and not what the first count
   * was.
   */
  async beginSealing(
    id: string,
    { held, isLimited }: { readonly held: number; readonly isLimited: boolean },
  ): Promise<void> {
    await this.#tx.query({
      text: `update erasures set status = 'sealing', sealing_at = now(), held = $3, is_limited = is_limited or $4
        where tenant_id = $1 and id = $2`,
      values: [this.#tenantId, id, held, isLimited],
    });
  }

  /** Lists the batches in the order of the log. Their positions are text, because they exceed 2⁵³. */
  listBatches(id: string): Promise<{ order: string; tokens: number }[]> {
    return this.#tx.query({
      text: `select sealing_order::text as "order", tokens from erasure_batches
        where tenant_id = $1 and erasure_id = $2 order by sealing_order`,
      values: [this.#tenantId, id],
    });
  }

  /** Returns the cell that has a copy of the tenant as well, because a move from or to it is not finished. */
  async findOtherCell(): Promise<string | undefined> {
    const [row] = await this.#tx.query<{ cell: string }>({
      text: `select cell from tenant_moves where tenant_id = $1 and removed_at is null order by direction limit 1`,
      values: [this.#tenantId],
    });
    return row?.cell;
  }

  /** Ends an erasure. From then on, its metadata is kept as digests only. */
  async end(
    id: string,
    {
      status,
      selection,
      reason = null,
      receipt = null,
    }: {
      readonly status: 'finished' | 'cancelled' | 'stopped';
      readonly selection: Selection;
      readonly reason?: string | null;
      readonly receipt?: string | null;
    },
  ): Promise<void> {
    await this.#tx.query({
      text: `update erasures set status = $3, selection = $4, reason = $5, receipt = $6, finished_at = now()
        where tenant_id = $1 and id = $2`,
      values: [this.#tenantId, id, status, JSON.stringify(selection), reason, receipt],
    });
  }

  /** Returns the signed head of the receipt, without the records that follow it. */
  async findReceipt(id: string): Promise<string | undefined> {
    const [row] = await this.#tx.query<{ receipt: string | null }>({
      text: 'select receipt from erasures where tenant_id = $1 and id = $2',
      values: [this.#tenantId, id],
    });
    return row?.receipt ?? undefined;
  }

  /** Lists erasures that were counted and never confirmed. */
  async listLapsed(limit: number): Promise<Erasure[]> {
    return this.#tx.query({
      text: `select ${columns} from erasures where tenant_id = $1 and status = 'counted'
          and created_at <= now() - make_interval(hours => $2) limit $3 for update skip locked`,
      values: [this.#tenantId, countedHours, limit],
    });
  }
}

/**
 * Lists the erasures of all tenants that have something to do here, not in another cell. It works only inside
 * `forSystem`.
 */
export function listDueErasures(tx: Transaction): Promise<{ tenantId: TenantId; id: string }[]> {
  return tx.query({
    text: `select tenant_id as "tenantId", id from erasures
      where status in ('queued', 'running', 'sealing') and not ${isClosed('erasures.tenant_id')} order by random()`,
  });
}

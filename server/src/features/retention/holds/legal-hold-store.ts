import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { isHoldInForce } from '../../tokens/index.ts';
import { endedHoldsMax, type HoldScope, type LegalHold } from './legal-hold.ts';

const columns = `id, reason, container, type, token_id as "tokenId",
  case when metadata_key is not null then json_build_object('key', metadata_key, 'value', metadata_value) end as metadata,
  created_by as "createdBy", created_at as "createdAt", ends_at as "endsAt", lifted_at as "liftedAt", lifted_by as "liftedBy"`;

export interface NewHold {
  readonly id: string;
  readonly reason: string;
  readonly endsAt: Date | null;
  readonly createdBy: string | null;
  readonly scope: HoldScope;
  /** The terms under which tokens with the metadata of the hold are listed. */
  readonly terms: readonly Buffer[] | null;
}

/** The legal holds of one tenant. */
export class LegalHoldStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  async countInForce(): Promise<number> {
    const [row] = await this.#tx.query<{ total: number }>({
      text: `select count(*)::integer as total from legal_holds h where tenant_id = $1 and ${isHoldInForce}`,
      values: [this.#tenantId],
    });
    return row?.total ?? 0;
  }

  async insert({ id, reason, endsAt, createdBy, scope, terms }: NewHold): Promise<void> {
    const { container, type, tokenId, metadata } = scope;
    await this.#tx.query({
      text: `insert into legal_holds (tenant_id, id, reason, container, type, token_id, metadata_key, metadata_value, terms,
          created_by, ends_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9::bytea[], $10, $11)`,
      values: [
        this.#tenantId,
        id,
        reason,
        container,
        type,
        tokenId,
        metadata?.key ?? null,
        metadata?.value ?? null,
        terms === null ? null : [...terms],
        createdBy,
        endsAt,
      ],
    });
  }

  /** Lists all holds in force and the last ones that are over, in this order, newest first. */
  list(): Promise<LegalHold[]> {
    return this.#tx.query({
      text: `(select ${columns} from legal_holds h where tenant_id = $1 and ${isHoldInForce} order by created_at desc, id desc)
        union all
        (select ${columns} from legal_holds h where tenant_id = $1 and not (${isHoldInForce})
          order by created_at desc, id desc limit $2)`,
      values: [this.#tenantId, endedHoldsMax],
    });
  }

  async find(id: string): Promise<LegalHold | undefined> {
    const [row] = await this.#tx.query<LegalHold>({
      text: `select ${columns} from legal_holds h where tenant_id = $1 and id = $2`,
      values: [this.#tenantId, id],
    });
    return row;
  }

  /** Lifts a hold. Returns false if it is not in force. */
  async lift(id: string, liftedBy: string | null): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `update legal_holds h set lifted_at = now(), lifted_by = $3
        where tenant_id = $1 and id = $2 and ${isHoldInForce} returning 1`,
      values: [this.#tenantId, id, liftedBy],
    });
    return rows.length > 0;
  }

  /** Removes holds that ended so many days ago, unless a request for approval still names them. Returns their ids. */
  async forgetEnded(days: number, limit: number): Promise<string[]> {
    const rows = await this.#tx.query<{ id: string }>({
      text: `delete from legal_holds where tenant_id = $1 and id = any (array(
          select id from legal_holds h
          where tenant_id = $1 and coalesce(lifted_at, ends_at) < now() - make_interval(days => $2)
            and not exists (select from approval_requests r where r.tenant_id = $1 and r.subject_id = h.id)
          limit $3)) returning id`,
      values: [this.#tenantId, days, limit],
    });
    return rows.map(({ id }) => id);
  }
}

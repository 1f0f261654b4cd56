import type { TenantId } from '../../../core/identity/ids.ts';
import { tokenLimits, tokenQueryLimits } from '../../../core/token-limits.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { keysAreOpen } from '../../../platform/keyring/keys/sealed-rows.ts';
import { keyVersionOf } from '../../../platform/keyring/sealing/sealed-record.ts';
import { bytesBefore, isCutOff } from '../model/token-row-sql.ts';
import type { SealedIntent, StoredIntent } from './token-intent.ts';

const codeLife = `make_interval(secs => ${tokenLimits.cvcLifeSeconds})`;
const columns = `id, tenant_id as "tenantId", type, data, fingerprint, created_by as "createdBy",
  created_at as "createdAt", expires_at as "expiresAt",
  case when created_at + ${codeLife} > now() then cvc end as cvc`;
const isAlive = 'expires_at > now()';

export interface FoundIntents {
  readonly intents: ReadonlyMap<string, StoredIntent>;
  /** True if intents are missing because all of them together hold too much data. */
  readonly isCut: boolean;
}

/** The token intents of one tenant. Expired intents and codes are invisible even before they are swept. */
export class TokenIntentStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  async insert(intent: SealedIntent, { lifeHours }: { readonly lifeHours: number }): Promise<StoredIntent> {
    const { id, type, data, cvc, fingerprint, createdBy } = intent;
    const [row] = await this.#tx.query<StoredIntent>({
      text: `insert into token_intents (tenant_id, id, type, data, cvc, fingerprint, created_by, expires_at)
        select $1, $2, $3, $4, $5, $6, $7, now() + make_interval(hours => $9) where ${keysAreOpen(8)} returning ${columns}`,
      values: [this.#tenantId, id, type, data, cvc, fingerprint, createdBy, [keyVersionOf(data)], lifeHours],
    });
    if (row === undefined) throw new Error('The inserted row was not returned.');
    return row;
  }

  /** Returns the existing intents among the ids, up to the amount of data that a page of tokens may contain. */
  async findAll(ids: readonly string[]): Promise<FoundIntents> {
    const rows = await this.#tx.query<StoredIntent & { readonly found: number }>({
      text: `select * from (
          select ${columns}, count(*) over ()::integer as found, ${bytesBefore('id', 'octet_length(data)')}
          from token_intents where tenant_id = $1 and id = any($2::uuid[]) and ${isAlive}
        ) as intent where bytes_before < ${tokenQueryLimits.pageBytesMax}`,
      values: [this.#tenantId, ids],
    });
    return { intents: new Map(rows.map((row) => [row.id, row])), isCut: isCutOff(rows) };
  }

  /** Deletes intents that exist, and returns them by id. Of several callers, only one gets an intent. */
  async take(ids: readonly string[]): Promise<ReadonlyMap<string, Pick<StoredIntent, 'id' | 'type'>>> {
    const rows = await this.#tx.query<Pick<StoredIntent, 'id' | 'type'>>({
      text: `delete from token_intents where tenant_id = $1 and id = any($2::uuid[]) and ${isAlive} returning id, type`,
      values: [this.#tenantId, ids],
    });
    return new Map(rows.map((row) => [row.id, row]));
  }
}

/** Deletes expired intents and returns them. */
export function takeExpiredIntents(
  tx: Transaction,
  tenantId: TenantId,
  limit: number,
): Promise<Pick<StoredIntent, 'id' | 'type'>[]> {
  return tx.query({
    text: `delete from token_intents where tenant_id = $1 and id = any (array(
        select id from token_intents where tenant_id = $1 and expires_at <= now() limit $2 for update skip locked))
      returning id, type`,
    values: [tenantId, limit],
  });
}

/** Removes the expired verification codes of intents and returns the intents. */
export function forgetExpiredCodes(
  tx: Transaction,
  tenantId: TenantId,
  limit: number,
): Promise<Pick<StoredIntent, 'id' | 'type'>[]> {
  return tx.query({
    text: `update token_intents set cvc = null where tenant_id = $1 and id = any (array(
        select id from token_intents where tenant_id = $1 and cvc is not null and created_at + ${codeLife} <= now()
        limit $2 for update skip locked))
      returning id, type`,
    values: [tenantId, limit],
  });
}

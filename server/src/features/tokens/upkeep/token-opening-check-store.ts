import type { TenantId, TokenId } from '../../../core/identity/ids.ts';
import { tokenQueryLimits } from '../../../core/token-limits.ts';
import type { Database } from '../../../platform/database/database.ts';
import { bytesBefore } from '../model/token-row-sql.ts';

/** The fields that are needed to open the data of a token. */
export interface SealedData {
  readonly id: TokenId;
  readonly type: string;
  readonly version: number;
  readonly data: Buffer;
}

/** Reads all tokens of a tenant, including expired ones, to check that they can be opened. */
export class TokenOpeningCheckStore {
  readonly #database: Database;
  readonly #tenantId: TenantId;

  constructor(database: Database, tenantId: TenantId) {
    this.#database = database;
    this.#tenantId = tenantId;
  }

  async count(): Promise<number> {
    const [row] = await this.#database.runForTenant<{ count: number }>(this.#tenantId, {
      text: 'select count(*)::float8 as count from tokens where tenant_id = $1',
      values: [this.#tenantId],
    });
    return row?.count ?? 0;
  }

  /**
   * Returns the next tokens in the order of their ids, from all tokens or from those in `among`. A page ends early if
   * its data grows too large.
   */
  list(after: string, limit: number, among: readonly TokenId[] | null): Promise<SealedData[]> {
    return this.#database.runForTenant(this.#tenantId, {
      name: 'token-check-page',
      text: `select id, type, version, data from (
          select t.id, t.type, t.version, t.data, ${bytesBefore('t.id')} from tokens t
          where t.tenant_id = $1 and t.id > $2 and ($4::text[] is null or t.id = any($4)) order by t.id limit $3) as page
        where bytes_before < ${tokenQueryLimits.pageBytesMax} order by id`,
      values: [this.#tenantId, after, limit, among],
    });
  }

  /** Draws a new random sample of `size` tokens for each key version. */
  async drawSample(size: number): Promise<TokenId[]> {
    const rows = await this.#database.runForTenant<{ id: TokenId }>(this.#tenantId, {
      text: `select id from (
          select id, row_number() over (partition by key_version(data) order by random()) as place
          from tokens where tenant_id = $1) as drawn
        where place <= $2`,
      values: [this.#tenantId, size],
    });
    return rows.map(({ id }) => id);
  }

  /** Lists key versions that tokens refer to but the tenant does not have. */
  listMissingKeys(): Promise<{ keyVersion: number | null; tokens: number }[]> {
    return this.#database.runForTenant(this.#tenantId, {
      text: `select named.version::float8 as "keyVersion", named.tokens::float8 as tokens from (
          select key_version(data) as version, count(*) as tokens from tokens where tenant_id = $1 group by 1) as named
        where not exists (select from tenant_keys
          where tenant_id = $1 and purpose = 'data' and tenant_keys.version = named.version)
        order by 1`,
      values: [this.#tenantId],
    });
  }
}

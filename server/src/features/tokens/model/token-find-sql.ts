import type { TenantId, TokenId } from '../../../core/identity/ids.ts';
import { tokenQueryLimits } from '../../../core/token-limits.ts';
import type { StoredToken } from './token.ts';
import {
  bytesBefore,
  type FoundRow,
  isAlive,
  isCutOff,
  joinCvc,
  tokenColumns,
  toStoredTokens,
} from './token-row-sql.ts';

/** Finds the tokens of tenant `$1` by the ids in `$2`, up to the amount of data that a page may contain. */
export const findText = `select * from (
    select ${tokenColumns}, count(*) over ()::integer as found, ${bytesBefore('array_position($2::text[], t.id)')}
    from tokens t ${joinCvc} where t.tenant_id = $1 and t.id = any($2) and ${isAlive}) as token
  where bytes_before < ${tokenQueryLimits.pageBytesMax}`;

/** The tokens found in one look-up. */
export interface FoundTokens {
  readonly tokens: ReadonlyMap<TokenId, StoredToken>;
  /** True if some tokens were omitted because there was too much data. */
  readonly isCut: boolean;
}

export function toFoundTokens(tenantId: TenantId, rows: readonly FoundRow[]): FoundTokens {
  return {
    tokens: new Map(toStoredTokens(tenantId, rows).map((token) => [token.id, token])),
    isCut: isCutOff(rows),
  };
}

/**
 * Returns one of the tokens that `find` looks up together. A token that did not fit is looked up again in a later
 * batch.
 */
export async function findAmong(id: TokenId, find: () => Promise<FoundTokens>): Promise<StoredToken | undefined> {
  for (;;) {
    const { tokens, isCut } = await find();
    const token = tokens.get(id);
    if (token !== undefined || !isCut) return token;
  }
}

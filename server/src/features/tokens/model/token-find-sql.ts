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

/** Finds the tokens of tenant `$1` by the ids in `$2`, as far as they have no more data together than a page may. */
export const findText = `select * from (
    select ${tokenColumns}, count(*) over ()::integer as found, ${bytesBefore('array_position($2::text[], t.id)')}
    from tokens t ${joinCvc} where t.tenant_id = $1 and t.id = any($2) and ${isAlive}) as token
  where bytes_before < ${tokenQueryLimits.pageBytesMax}`;

/** Those that there are of the tokens that were looked up together. */
export interface FoundTokens {
  readonly tokens: ReadonlyMap<TokenId, StoredToken>;
  /** Whether some were left out because there was too much data. */
  readonly isCut: boolean;
}

export function toFoundTokens(tenantId: TenantId, rows: readonly FoundRow[]): FoundTokens {
  return {
    tokens: new Map(toStoredTokens(tenantId, rows).map((token) => [token.id, token])),
    isCut: isCutOff(rows),
  };
}

/** One of the tokens that `find` looks up together. What did not fit beside others is looked up again with those that came after it. */
export async function findAmong(id: TokenId, find: () => Promise<FoundTokens>): Promise<StoredToken | undefined> {
  for (;;) {
    const { tokens, isCut } = await find();
    const token = tokens.get(id);
    if (token !== undefined || !isCut) return token;
  }
}

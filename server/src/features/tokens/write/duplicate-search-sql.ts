import { DomainError } from '../../../core/errors/domain-error.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { inMebibytes } from '../../../core/text/byte-size.ts';
import { tokenQueryLimits } from '../../../core/token-limits.ts';
import type { Statement } from '../../../platform/database/database.ts';
import {
  bytesBefore,
  type FoundRow,
  isAlive,
  isCutOff,
  joinCvc,
  tokenColumns,
  toStoredTokens,
} from '../model/token-row-sql.ts';
import type { StoredToken } from '../model/token.ts';
import type { DuplicateKey } from './duplicate-key.ts';

/** Live tokens by the text of their duplicate key. */
export type Duplicates = ReadonlyMap<string, StoredToken>;

/** A row with the position of the key that found it, starting at one. */
export interface DuplicateRow extends FoundRow {
  readonly place: number;
}

/** Returns the oldest live token of each key. */
export async function findDuplicates(
  run: (statement: Statement) => Promise<readonly DuplicateRow[]>,
  tenantId: TenantId,
  keys: readonly DuplicateKey[],
): Promise<Duplicates> {
  return toDuplicates(tenantId, keys, await run(findStatement(tenantId, keys)));
}

/**
 * True for a token in the requested containers. Unless an update follows, it must also have the requested mask and live
 * at least as long.
 */
const isAsWanted = `(t.shelf = wanted.shelf and (not wanted.is_kept or (t.mask is not distinct from wanted.mask
  and (t.expires_at is null or t.expires_at >= wanted.ends_at))))`;

/**
 * Returns a condition that is true if the column names a private application that writes to all containers, or is null.
 * Null means an operator or, for `modified_by`, that the token was never modified. Anybody can hold the key of a public
 * application. An application that writes to some containers could put another value into its token later, even if the
 * request names a container that belongs to others.
 */
function isTrusted(column: 'created_by' | 'modified_by'): string {
  return `(t.${column} is null or exists (
    select from applications a where a.tenant_id = t.tenant_id and a.id = t.${column} and a.type = 'private'
      and (a.permissions && array['token:create', 'token:update'] or exists (
        select from jsonb_array_elements(a.rules) as rule where rule ->> 'container' = '/'
          and rule -> 'permissions' ?| array['token:create', 'token:update']))))`;
}

function findStatement(tenantId: TenantId, keys: readonly DuplicateKey[]): Statement {
  return {
    name: 'token-find-duplicates',
    text: `select * from (
        select t.*, wanted.place::integer as place, count(*) over ()::integer as found, ${bytesBefore('t.id')}
        from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::text[], $8::timestamptz[])
          with ordinality as wanted(fingerprint, expression, default_expression, shelf, is_kept, mask, ends_at, place)
        cross join lateral (
          select ${tokenColumns} from tokens t ${joinCvc}
          where t.tenant_id = $1 and t.fingerprint = wanted.fingerprint
            and coalesce(t.fingerprint_expression, wanted.default_expression) = wanted.expression
            and ${isAlive} and (${isAsWanted} or (wanted.is_kept and ${isTrusted('created_by')} and ${isTrusted('modified_by')}))
          order by t.created_at, t.id limit 1
        ) as t
      ) as token where bytes_before < ${tokenQueryLimits.pageBytesMax}`,
    values: [
      tenantId,
      keys.map(({ fingerprint }) => fingerprint),
      keys.map(({ expression }) => expression),
      keys.map(({ defaultExpression }) => defaultExpression),
      keys.map(({ shelf }) => shelf),
      keys.map(({ kept }) => kept !== undefined),
      keys.map(({ kept }) => kept?.mask ?? null),
      keys.map(({ kept }) => kept?.endsAt ?? null),
    ],
  };
}

function toDuplicates(tenantId: TenantId, keys: readonly DuplicateKey[], rows: readonly DuplicateRow[]): Duplicates {
  if (isCutOff(rows)) {
    throw new DomainError(
      'validation-failed',
      `The existing tokens with the content of this request hold too much data together (more than ${inMebibytes(tokenQueryLimits.pageBytesMax)}). Send fewer values at a time.`,
    );
  }
  return new Map(
    toStoredTokens(tenantId, rows).flatMap((token, index) => {
      const key = keys[(rows[index]?.place ?? 0) - 1];
      return key === undefined ? [] : [[key.text, token] as const];
    }),
  );
}

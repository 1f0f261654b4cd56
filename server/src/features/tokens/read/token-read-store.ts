import type { Transform } from '../../../core/access/access-rule.ts';
import type { Caller } from '../../../core/identity/caller.ts';
import type { TokenId } from '../../../core/identity/ids.ts';
import { successEvent, toAuditRow } from '../../../platform/audit/record/audit-event.ts';
import { insertAuditRecords } from '../../../platform/audit/record/audit-statement.ts';
import type { Database } from '../../../platform/database/database.ts';
import { TenantBatcher } from '../../../platform/database/tenant-batcher.ts';
import type { StoredToken } from '../model/token.ts';
import { entityTypeSql, seenTransformSql } from '../model/token-event.ts';
import { findAmong, findText, type FoundTokens, toFoundTokens } from '../model/token-find-sql.ts';
import type { FoundRow } from '../model/token-row-sql.ts';

interface Read {
  readonly id: TokenId;
  /** The audit record as JSON text, without the fields that are taken from the token. */
  readonly record: string;
}

/** Tokens that are not found or are omitted are not recorded. */
const readText = `with found as materialized (${findText}), recorded as (
    ${insertAuditRecords(3, 'join found on found.id = record.entity_id', {
      entity_type: entityTypeSql('found.type'),
      containers: 'found.containers',
      transform: seenTransformSql('record.transform', 'found.is_mask_whole'),
    })}
  )
  select * from found`;

/**
 * Finds tokens and records the reads. All concurrent reads share one statement and one commit. It is only for callers
 * with the same rights on every token, because the record is written before the token is checked, but already says how
 * it was shown.
 */
export class TokenReadStore {
  readonly #batcher: TenantBatcher<Read, FoundTokens>;

  constructor(database: Database) {
    this.#batcher = new TenantBatcher({
      name: 'token-read',
      meter: database.batches,
      itemsMax: 200,
      queueMax: 10_000,
      isChange: false,
      run: async (tenantId, reads) => {
        const rows = await database.runForTenant<FoundRow>(tenantId, {
          name: 'token-read',
          text: readText,
          values: [
            tenantId,
            [...new Set(reads.map(({ id }) => id))],
            `[${reads.map(({ record }) => record).join(',')}]`,
          ],
        });
        const found = toFoundTokens(tenantId, rows);
        return reads.map(() => found);
      },
    });
  }

  /** Finds a token. Resolves once the record is committed. */
  find(caller: Caller, id: TokenId, transform: Transform): Promise<StoredToken | undefined> {
    const record = JSON.stringify(toAuditRow(caller, { ...successEvent('token', id, 'read'), transform }));
    return findAmong(id, () => this.#batcher.add(caller.tenantId, { id, record }));
  }
}

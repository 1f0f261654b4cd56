import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../database/database.ts';
import { recordInTransaction } from '../record/audit-log.ts';
import type { RaisedAlert } from './watch-store.ts';

/**
 * Writes an alert to its tenant's log unless it is already there. The worker that wrote it may have crashed before
 * marking it as recorded.
 */
export async function recordAlert(
  tx: Transaction,
  tenantId: TenantId,
  { keyId, isUser, rule, count, from, raisedAt }: RaisedAlert,
  windowMinutes: number,
): Promise<void> {
  const details = { rule, count, from: from.toISOString(), minutes: windowMinutes };
  const entityType = isUser ? 'member' : 'key';
  const known = await tx.query({
    text: `select 1 from audit_records where tenant_id = $1 and entity_id = $2 and created_at >= $3
        and entity_type = $6 and operation = 'alert' and details::json ->> 'rule' = $4 and details::json ->> 'from' = $5`,
    values: [tenantId, keyId, raisedAt, rule, details.from, entityType],
  });
  if (known.length > 0) return;
  await recordInTransaction(tx, tenantId, 'system', {
    entityType,
    entityId: keyId,
    operation: 'alert',
    outcome: 'success',
    details,
  });
}

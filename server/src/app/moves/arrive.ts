import { OperatorError } from '../../core/errors/operator-error.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import { toChangeDetails } from '../../platform/audit/record/change-details.ts';
import { successEvent } from '../../platform/audit/record/audit-event.ts';
import { beginStreams, copyAlerts, wakeWebhooks } from '../../platform/audit/seal/moved-log.ts';
import { findMove, openArrival } from '../../platform/database/moves/move-row.ts';
import { copyPeople } from '../../platform/database/moves/people.ts';
import {
  deleteMarks,
  dropPublication,
  dropSubscription,
  findSystemIdentifier,
} from '../../platform/database/moves/replication.ts';
import type { MoveEnds } from './cell-end.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Move } from './move.ts';

/** Opens the tenant in the target, with its people, after the source has let it go. */
export async function arrive({ ends, tenantId, row, say, closedAt }: Move): Promise<void> {
  const { source, target } = ends;
  const departure = await findMove(source.admin, tenantId, 'out');
  if (departure?.id !== row.id || !departure.isDecided) throw new OperatorError('The tenant has not left the source.');
  const arrival = await findMove(target.admin, tenantId, 'in');
  if (arrival?.id === row.id && arrival.isDecided) return;
  await dropSubscription(target.admin, tenantId);
  const both = { source: source.admin, target: target.admin };
  await target.admin.transaction(async () => {
    await copyPeople(both, tenantId);
    await copyAlerts(both, tenantId);
    await beginStreams(target.admin, tenantId);
    await openArrival(target.admin, tenantId, departure);
    await wakeWebhooks(target.admin, tenantId);
  });
  if (closedAt > 0) say(`the tenant was closed for ${((performance.now() - closedAt) / 1_000).toFixed(2)} s`);
  await recordArrival(ends, tenantId);
}

/** Records where the tenant comes from, and with which key its log was signed there. */
async function recordArrival({ source, target }: MoveEnds, tenantId: TenantId): Promise<void> {
  const key = source.core.systemKeys.auditSigner().publicKey.toString('base64');
  const details = toChangeDetails(
    [`cell removed: ${source.name}`, `cell added: ${target.name}`, `key of the log removed: ${key}`],
    target.name,
  );
  await target.core.database.forTenant(tenantId, (tx) =>
    recordInTransaction(tx, tenantId, 'system', { ...successEvent('tenant', tenantId, 'move'), details }),
  );
}

/** Removes what PostgreSQL needed for replication. The rows of the tenant stay in the source. */
export async function cleanUp({ source, target }: MoveEnds, tenantId: TenantId): Promise<void> {
  await dropSubscription(target.admin, tenantId);
  await dropPublication(source.admin, { tenantId, targetSystem: await findSystemIdentifier(target.admin) });
  for (const { admin } of [source, target]) {
    await deleteMarks(admin, tenantId);
  }
}

import { OperatorError } from '../../core/errors/operator-error.ts';
import { holdStreams } from '../../platform/audit/seal/moved-log.ts';
import { beginArrival } from '../../platform/database/moves/move-row.ts';
import { ensurePublication, ensureSubscription, findCopyProgress } from '../../platform/database/moves/replication.ts';
import { findEpoch, hasReachedEpoch, raiseEpoch } from '../../platform/database/moves/sealing-place.ts';
import { ensureMonths, listMonths } from '../../platform/database/moves/tenant-rows.ts';
import { carryKeys } from './carry-keys.ts';
import { replicationUrlOf } from './cell-end.ts';
import { type Move, until } from './move.ts';

const minuteMs = 60_000;
/** Copying goes on as long as tables are copied. One table may take this long. */
const tableWithinMs = 24 * 60 * minuteMs;
const failuresMax = 5;

/** Tells the target that the tenant arrives. From then on, nothing of it can be read or written there. */
export async function announce({ ends: { source, target }, tenantId, row }: Move): Promise<void> {
  const arrival = await beginArrival(target.admin, tenantId, { id: row.id, cell: source.name });
  if (arrival.id !== row.id) {
    throw new OperatorError(
      `The tenant is arriving in the target in another move, from the cell ${arrival.cell}, or is there already.`,
    );
  }
}

/** Lets new records of the target come after all records of the source. */
export async function order(move: Move): Promise<void> {
  const { source, target } = move.ends;
  await raiseEpoch(target.admin, await findEpoch(source.admin));
  await until(move, () => hasReachedEpoch(target.admin), {
    everyMs: 200,
    withinMs: 5 * minuteMs,
    otherwise: 'The worker of the target does not keep up with sealing. Run the command again when it does.',
  });
}

/** Gives the target the keys of the tenant, and keeps its log streams from sending what arrives. */
export async function bringKeys({ ends, tenantId }: Move): Promise<void> {
  await carryKeys(ends, tenantId);
  await holdStreams(ends.target.admin, tenantId);
}

export async function publish({ ends: { source, target }, tenantId, tables }: Move): Promise<void> {
  await ensureMonths(target.admin, await listMonths(source.admin));
  await ensurePublication(source.admin, tenantId, tables);
}

export async function subscribe({ ends: { source, target }, tenantId }: Move): Promise<void> {
  await ensureSubscription(target.admin, tenantId, replicationUrlOf(source.config));
}

/** Waits until PostgreSQL has copied every table. */
export async function copy(move: Move): Promise<void> {
  const { target } = move.ends;
  const { failures: before } = await findCopyProgress(target.admin, move.tenantId);
  let told = -1;
  const isCopied = async () => {
    const { tables, copied, failures } = await findCopyProgress(target.admin, move.tenantId);
    if (failures > before + failuresMax) throw cannotCopy();
    if (copied !== told) move.say(`${copied} of ${tables} tables are copied`);
    told = copied;
    return tables > 0 && copied === tables;
  };
  await until(move, isCopied, { everyMs: 250, withinMs: tableWithinMs, otherwise: cannotCopy().message });
}

function cannotCopy(): OperatorError {
  return new OperatorError(
    'The PostgreSQL of the target cannot copy the tenant. Its log says why: it may not reach the source at STRONGROOM_REPLICATION_URL, ' +
      'or may not sign in there. Mend that and run the command again.',
  );
}

import { OperatorError } from '../../core/errors/operator-error.ts';
import { compareSettledLog, compareTables } from '../../platform/database/moves/comparison.ts';
import {
  closeForHandOver,
  decide,
  findMove,
  flushArrival,
  noteSettled,
} from '../../platform/database/moves/move-row.ts';
import {
  areOutcomesKept,
  findSealedTo,
  isSettled,
  requireLaterEpoch,
} from '../../platform/database/moves/sealing-place.ts';
import { carryKeys } from './carry-keys.ts';
import { catchUp, type Move, until } from './move.ts';
import { signArrivedLog } from './sign-log.ts';

/** The source may be so far ahead of the target when the tenant is closed. */
const lagMaxMs = 500;
const minuteMs = 60_000;
/** How long requests may take to keep their outcome for repetitions. Those of a server that has died never do. */
const outcomesWithinMs = 500;
/** The part of the time that the comparison may take. The rest is for sealing and catching up. */
const comparisonShare = 0.6;

/**
 * Does what can be done while the tenant is open: follows the source, signs the log, and compares the part of it that
 * nobody can change. Then it rehearses the comparison for which the tenant is closed, to know how long that takes.
 */
export async function settle(move: Move): Promise<void> {
  const { tenantId, tables, ends } = move;
  const { source, target } = ends;
  let sealedTo: string | undefined;
  await until(
    move,
    async () => {
      sealedTo = await findSealedTo(source.admin, tenantId);
      return (await catchUp(move, { everyMs: 20, withinMs: 60 * minuteMs })) < lagMaxMs;
    },
    { everyMs: 100, withinMs: 24 * 60 * minuteMs, otherwise: 'The target does not catch up with the source.' },
  );
  move.signedTo = await signArrivedLog(ends, tenantId, 0);
  const both = { source: source.admin, target: target.admin };
  if (sealedTo !== undefined) {
    await compareSettledLog(both, { tenantId, tables, order: sealedTo });
    await noteSettled(source.admin, tenantId, sealedTo);
  }
  const seconds = await rehearse(move);
  if (seconds > move.stopSecondsMax * comparisonShare) {
    throw new OperatorError(
      `Comparing both cells takes ${seconds.toFixed(1)} s, for which the tenant would be closed. Allow more with --stop-max, ` +
        'at a time at which nobody minds.',
    );
  }
  move.say(`comparing takes about ${seconds.toFixed(1)} s`);
}

/** Returns how long a comparison takes. What differs does not matter, because the tenant is open. */
async function rehearse(move: Move): Promise<number> {
  const startedAt = performance.now();
  await compareAll(move).catch((error: unknown) => {
    if (!(error instanceof OperatorError)) throw error;
  });
  return (performance.now() - startedAt) / 1_000;
}

/** Closes the tenant, and waits until all that its requests have left behind is sealed. */
export async function close(move: Move): Promise<void> {
  const { tenantId, stopSecondsMax } = move;
  const { admin } = move.ends.source;
  move.closedAt = performance.now();
  await closeForHandOver(admin, tenantId, stopSecondsMax);
  // From here on no other move can change the epoch of the source.
  await requireLaterEpoch({ source: admin, target: move.ends.target.admin });
  const end = performance.now() + outcomesWithinMs;
  await until(move, async () => performance.now() > end || (await areOutcomesKept(admin, tenantId)), {
    everyMs: 10,
    withinMs: 2 * outcomesWithinMs,
    otherwise: '',
  });
  await until(move, () => isSettled(admin, tenantId), {
    everyMs: 20,
    withinMs: stopSecondsMax * 1_000,
    otherwise: 'The log of the tenant was not sealed in time, so the tenant stays where it is. Run the command again.',
  });
}

/** Waits for the last changes, and compares both ends. */
export async function compare(move: Move): Promise<void> {
  const { ends, tenantId } = move;
  await catchUp(move, { everyMs: 10, withinMs: move.stopSecondsMax * 1_000 });
  await carryKeys(ends, tenantId);
  move.signedTo = await signArrivedLog(ends, tenantId, move.signedTo);
  const { tables, rows } = await compareAll(move);
  move.attempt = await flushArrival(ends.target.admin, tenantId);
  move.say(`${tables} tables with ${rows} rows are the same in both cells`);
}

async function compareAll({ ends, tenantId, tables }: Move) {
  const settled = (await findMove(ends.source.admin, tenantId, 'out'))?.settledOrder ?? null;
  return compareTables(
    { source: ends.source.admin, target: ends.target.admin },
    { tenantId, tables, part: settled === null ? undefined : { side: 'from', order: settled } },
  );
}

/** Decides. Before this, the tenant is in the source; after it, it is not. */
export async function leave({ ends: { source }, tenantId, row, attempt }: Move): Promise<void> {
  if (await decide(source.admin, tenantId, { id: row.id, attempt })) return;
  throw new OperatorError(
    'The hand-over took too long, so the tenant is open in the source again. Run the command again, or allow more with --stop-max.',
  );
}

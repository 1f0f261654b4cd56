import type { Database } from '../../database/database.ts';
import { toOneLine } from '../../../core/text/one-line.ts';
import { toTime } from '../../../core/text/time-span.ts';
import { lostSealing, notSigned } from './seal-store.ts';

export type WaitingReason = 'checkpoint-damaged' | 'no-worker' | 'open-transaction' | 'worker-behind';

/** The records of a tenant that no signature covers yet. */
export interface WaitingRecords {
  readonly tenantId: string;
  readonly records: number;
  readonly oldestAt: Date;
  readonly waitingSeconds: number;
  readonly reason: WaitingReason;
  /** The cause of the delay, and what to do about it. */
  readonly message: string;
}

interface WaitingRow {
  readonly tenantId: string;
  readonly records: number;
  readonly oldestAt: Date;
  readonly waitingSeconds: number;
  readonly isStopped: boolean;
  readonly isHeldBack: boolean;
  /** The time since a worker was last active. Null if no worker was ever active. */
  readonly idleSeconds: number | null;
}

/** The time after which a worker counts as not running. Workers report at least every ten seconds. */
export const idleSecondsMax = 30;

/** Lists the records that the sealer has not reached, by tenant. If a tenant is given, only its records are listed. */
export async function listWaiting(database: Database, tenantId: string | undefined): Promise<WaitingRecords[]> {
  return database.forSealer(async (tx) => {
    const rows = await tx.query<WaitingRow>({
      text: `with place as (select sealed_to, looked_at from audit_sealing), waiting as (
          select r.tenant_id, r.created_at, r.sealing_order, false as is_stopped from audit_records r, place
          where r.sealing_order >= place.sealed_to
            and not exists (select from audit_seal_stops stop where stop.tenant_id = r.tenant_id)
          union all
          select r.tenant_id, r.created_at, r.sealing_order, true from audit_seal_stops stop
          join audit_records r on r.tenant_id = stop.tenant_id and r.sealing_order >= stop.order_from)
        select tenant_id as "tenantId", count(*)::float8 as records, min(created_at) as "oldestAt",
          extract(epoch from clock_timestamp() - min(created_at))::float8 as "waitingSeconds", bool_or(is_stopped) as "isStopped",
          min(sealing_order) >= audit_order(pg_snapshot_xmin(pg_current_snapshot())) as "isHeldBack",
          (select extract(epoch from clock_timestamp() - looked_at)::float8 from place) as "idleSeconds"
        from waiting where $1::uuid is null or tenant_id = $1 group by tenant_id order by tenant_id`,
      values: [tenantId ?? null],
    });
    // If the table had lost its row, no record would be found past the sealer's position, and all of them would look
    // sealed.
    const sealing = await tx.query({ text: 'select from audit_sealing' });
    if (sealing.length === 0) throw lostSealing();
    if (rows.length === 0) return [];
    const [holder] = await tx.query<Holder>({
      text: `select extract(epoch from clock_timestamp() - since)::float8 as "openSeconds", application, is_prepared as "isPrepared"
        from oldest_open_transaction()`,
    });
    return rows.map(({ isStopped, isHeldBack, idleSeconds, ...row }) => ({
      ...row,
      waitingSeconds: Math.max(0, row.waitingSeconds),
      ...explain({ ...row, isStopped, isHeldBack, idleSeconds }, holder),
    }));
  });
}

interface Holder {
  /** Null if PostgreSQL does not show it to this login. */
  readonly openSeconds: number | null;
  readonly application: string | null;
  readonly isPrepared: boolean;
}

function explain(row: WaitingRow, holder: Holder | undefined): Pick<WaitingRecords, 'reason' | 'message'> {
  // The reason in the table is not repeated, because anyone with write access to the table could choose its text.
  if (row.isStopped) return { reason: 'checkpoint-damaged', message: notSigned(row.tenantId) };
  const { idleSeconds } = row;
  if (idleSeconds === null || idleSeconds > idleSecondsMax) {
    const since = idleSeconds === null ? 'No worker has sealed yet.' : `No worker for ${toTime(idleSeconds)}.`;
    return { reason: 'no-worker', message: `${since} Start \`strongroom work\`, or read its log if it runs.` };
  }
  if (row.isHeldBack) return { reason: 'open-transaction', message: describeHolder(holder) };
  return { reason: 'worker-behind', message: 'A worker is running, but has not reached them yet.' };
}

const nameLengthMax = 60;

/**
 * Returns a name that cannot look like part of the message. Anyone who opens or prepares a transaction can name it
 * freely.
 */
function toName(text: string): string {
  const name = toOneLine(text).replaceAll(/["'`]/g, '?');
  return name.length > nameLengthMax ? `${name.slice(0, nameLengthMax)}…` : name;
}

function describeHolder(holder: Holder | undefined): string {
  if (holder === undefined) return 'A transaction that has just ended held sealing back.';
  const { application, openSeconds, isPrepared } = holder;
  const name = application === null || application === '' ? '' : ` of "${toName(application)}"`;
  const since = openSeconds === null ? '' : `, open for ${toTime(openSeconds)},`;
  const [kind, view] = isPrepared ? ['prepared transaction', 'pg_prepared_xacts'] : ['transaction', 'pg_stat_activity'];
  return `A ${kind}${name}${since} holds sealing back. End it: ${view} shows it.`;
}

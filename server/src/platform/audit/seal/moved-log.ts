import type { TenantId } from '../../../core/identity/ids.ts';
import { checkpointColumns, type CheckpointRow, toCheckpoint, type StoredCheckpoint } from './checkpoint-row.ts';
import type { AdminSession } from '../../database/moves/admin-session.ts';

const perPage = 1_000;

/** Reads the next checkpoints of the tenant after a number. */
export async function listCheckpoints(
  admin: AdminSession,
  tenantId: TenantId,
  afterNumber: number,
): Promise<StoredCheckpoint[]> {
  const rows = await admin.query<CheckpointRow>(
    `select ${checkpointColumns} from audit_checkpoints c where c.tenant_id = $1 and c.number > $2 order by c.number limit ${perPage}`,
    [tenantId, afterNumber],
  );
  return rows.map(toCheckpoint);
}

export async function updateSignatures(
  admin: AdminSession,
  tenantId: TenantId,
  signed: readonly { readonly number: number; readonly keyVersion: number; readonly signature: Buffer }[],
): Promise<void> {
  await admin.query(
    `update audit_checkpoints c set signature = s.signature, key_version = s.key_version
      from unnest($2::bigint[], $3::integer[], $4::bytea[]) as s(number, key_version, signature)
      where c.tenant_id = $1 and c.number = s.number`,
    [
      tenantId,
      signed.map(({ number }) => number),
      signed.map(({ keyVersion }) => keyVersion),
      signed.map(({ signature }) => signature),
    ],
  );
}

/** Keeps the streams of this cell from sending the log before the tenant has arrived. */
export async function holdStreams(admin: AdminSession, tenantId: TenantId): Promise<void> {
  await admin.query(
    `insert into audit_stream_positions (tenant_id, stream, number, is_base)
      select $1, name, 9007199254740991, true from audit_streams
      on conflict (tenant_id, stream) do update set number = excluded.number, is_base = true`,
    [tenantId],
  );
}

/**
 * Lists the log streams of this cell that have yet to send a part of the tenant's log. A stream that has never sent
 * anything of it counts if it is failing: otherwise it is one that leaves the tenant out.
 */
export async function listUnsentStreams(admin: AdminSession, tenantId: TenantId): Promise<string[]> {
  const rows = await admin.query<{ name: string }>(
    `select s.name from audit_streams s
        left join audit_stream_positions p on p.stream = s.name and p.tenant_id = $1
      where (p.number is not null or s.failing_since is not null)
        and exists (select from audit_checkpoints c where c.tenant_id = $1 and c.number > coalesce(p.number, 0))
      order by 1`,
    [tenantId],
  );
  return rows.map(({ name }) => name);
}

/** Lets the streams of this cell begin after the newest checkpoint. */
export async function beginStreams(admin: AdminSession, tenantId: TenantId): Promise<void> {
  await admin.query(
    `update audit_stream_positions p set is_base = true,
        number = coalesce((select max(c.number) from audit_checkpoints c where c.tenant_id = p.tenant_id), 0)
      where p.tenant_id = $1`,
    [tenantId],
  );
}

/** Copies the alerts that have not been recorded in the log. */
export async function copyAlerts(
  { source, target }: { readonly source: AdminSession; readonly target: AdminSession },
  tenantId: TenantId,
): Promise<void> {
  const alerts = await source.query<{ row: object }>(
    `select to_jsonb(a) as row from audit_alerts a where a.tenant_id = $1 and a.recorded_at is null`,
    [tenantId],
  );
  for (const { row } of alerts) {
    await target.query(
      'insert into audit_alerts select * from jsonb_populate_record(null::audit_alerts, $1) on conflict do nothing',
      [JSON.stringify(row)],
    );
  }
}

/** Wakes the endpoints of the tenant, which may have events waiting. */
export async function wakeWebhooks(admin: AdminSession, tenantId: TenantId): Promise<void> {
  await admin.query(
    `select wake_webhooks(array_agg(tenant_id), array_agg(id), 0) from webhooks
      where tenant_id = $1 and status = 'enabled' having count(*) > 0`,
    [tenantId],
  );
}

import type pg from 'pg';
import { withOwnerSession } from '../../platform/database/connections/owner-session.ts';

/** The times that the requests of a tenant are moved to. */
export interface SeedPast {
  readonly tenantId: string;
  /** The times by request id. */
  readonly times: ReadonlyMap<string, Date>;
  /** The creation time of the tenant, and of everything that was not created by a request. */
  readonly startsAt: Date;
  /** The times of records that were not caused by a request, by operation and entity id. */
  readonly systemTimes: ReadonlyMap<string, Date>;
}

const sessionOptions = { applicationName: 'strongroom dev', variable: 'STRONGROOM_DATABASE_URL' };

/**
 * Moves the recent activity of a new tenant into the past, before any of it is sealed. The API cannot do this, because
 * it cannot backdate requests. The records were written by the product, and nothing changes except their times and
 * those of the objects that they describe. The records are rewritten day by day in time order, so they are sealed as if
 * they had arrived that way.
 *
 * Use it only for the database that `strongroom dev` has created for itself, because it requires a superuser.
 */
export async function moveIntoPast(ownerUrl: string, past: SeedPast): Promise<number> {
  return withOwnerSession(ownerUrl, sessionOptions, async (client) => {
    await requireNothingSealed(client);
    await createPastPartitions(client, past.startsAt);
    const moved = await moveRecords(client, past);
    await moveThings(client, past);
    return moved;
  });
}

/** Throws if anything is sealed, because a sealed record must not change. */
async function requireNothingSealed(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ isSealed: boolean }>(
    'select exists (select from audit_checkpoints) as "isSealed"',
  );
  if (rows[0]?.isSealed !== false) throw new Error('The log of this vault is sealed already and cannot be moved.');
}

/** Creates partitions for past months, like `ensure_audit_partitions` does for the months ahead. */
async function createPastPartitions(client: pg.Client, startsAt: Date): Promise<void> {
  await client.query(
    `do $$
    declare
      month timestamp := date_trunc('month', timestamptz '${startsAt.toISOString()}' at time zone 'UTC');
      name text;
    begin
      while month < date_trunc('month', now() at time zone 'UTC') loop
        name := format('audit_records_%s', to_char(month, 'YYYY_MM'));
        execute format('create table public.%I (like public.audit_records including defaults including comments)', name);
        execute format('alter table public.%I enable row level security', name);
        execute format('alter table public.%I force row level security', name);
        execute format('alter table public.audit_records attach partition public.%I for values from (%L) to (%L)',
          name, month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
        month := month + interval '1 month';
      end loop;
    end $$`,
  );
}

/**
 * Moves the records in one transaction per day. Sealing never splits a transaction, and a checkpoint covers only one
 * month.
 */
async function moveRecords(client: pg.Client, past: SeedPast): Promise<number> {
  const { rows } = await client.query<{ id: string; requestId: string | null; about: string; sinceMs: number }>(
    `select id, request_id as "requestId", operation || ' ' || entity_id as about,
      extract(epoch from created_at - min(created_at) over (partition by coalesce(request_id, id::text)))::float8 * 1000 as "sinceMs"
    from audit_records where tenant_id = $1`,
    [past.tenantId],
  );
  const moves = rows.map(({ id, requestId, about, sinceMs }) => {
    const at = past.times.get(requestId ?? '') ?? past.systemTimes.get(about) ?? past.startsAt;
    return { id, at: new Date(at.getTime() + sinceMs).toISOString() };
  });
  const days = Map.groupBy(moves, ({ at }) => at.slice(0, 10));
  for (const [, day] of [...days].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await client.query(
      `update audit_records r set created_at = moved.at, sealing_order = audit_order(pg_current_xact_id())
        from unnest($2::uuid[], $3::timestamptz[]) as moved(id, at) where r.tenant_id = $1 and r.id = moved.id`,
      [past.tenantId, day.map(({ id }) => id), day.map(({ at }) => at)],
    );
  }
  return moves.length;
}

/** Sets the times of all objects to those of the records of their creation or last change. */
async function moveThings(client: pg.Client, { tenantId, startsAt }: SeedPast): Promise<void> {
  const recordOf = (operation: string, id: string, pick: 'min' | 'max') =>
    `(select ${pick}(r.created_at) from audit_records r
      where r.tenant_id = $1 and r.entity_id = ${id} and r.operation = '${operation}' and r.outcome = 'success')`;
  const statements = [
    `update tenants set created_at = $2 where id = $1`,
    `update users set created_at = $2 where id in (select user_id from members where tenant_id = $1)`,
    `update members set created_at = coalesce(${recordOf('create', 'members.id::text', 'min')}, $2) where tenant_id = $1`,
    `update invitations set created_at = coalesce(${recordOf('create', 'invitations.id::text', 'min')}, $2) where tenant_id = $1`,
    `update applications set created_at = coalesce(${recordOf('create', 'applications.id::text', 'min')}, $2) where tenant_id = $1`,
    `update application_keys k set
        created_at = coalesce(
          (select min(r.created_at) from audit_records r where r.tenant_id = $1 and r.entity_id = k.application_id::text
            and strpos(r.details, 'key added: ' || k.id) > 0),
          (select a.created_at from applications a where a.tenant_id = $1 and a.id = k.application_id)),
        last_used_at = (select max(r.created_at) from audit_records r where r.tenant_id = $1 and r.key_id = k.id)
      where tenant_id = $1 and $2::timestamptz is not null`,
    `update tokens set created_at = coalesce(${recordOf('create', 'tokens.id', 'min')}, $2),
        modified_at = case when modified_at is null then null else ${recordOf('update', 'tokens.id', 'max')} end
      where tenant_id = $1`,
    `update token_terms t set created_at = coalesce(
        (select created_at from tokens where tenant_id = $1 and id = t.token_id), $2) where tenant_id = $1`,
    `update token_counts c set last_created_at = coalesce(
        (select max(created_at) from tokens where tenant_id = $1 and shelf = c.shelf), $2) where tenant_id = $1`,
    `update token_totals c set last_created_at = coalesce(
        (select max(created_at) from tokens where tenant_id = $1 and type = c.type), $2) where tenant_id = $1`,
    // Nobody uses these sessions any more.
    `delete from sessions where tenant_id = $1 and created_at > $2`,
    `delete from user_sessions where user_id in (select user_id from members where tenant_id = $1) and created_at > $2`,
  ];
  await client.query('begin');
  // Triggers are disabled. They count and announce changes, but nothing that they count changes here.
  await client.query('set local session_replication_role = replica');
  for (const statement of statements) await client.query(statement, [tenantId, startsAt]);
  await client.query('commit');
}

import type { Transaction } from '../../database/database.ts';
import { takeLock } from '../../database/transaction-lock.ts';
import type { Alert, AlertRule, AlertThresholds } from './alert-rule.ts';
import { SealingError } from '../seal/seal-store.ts';

/**
 * The number of days after which an address that a key no longer uses is forgotten. Windows are forgotten soon after
 * their end.
 */
const addressKeptDays = 90;
const forgottenPerPass = 10_000;

export type WatchedKind = 'denied' | 'missed' | 'revealed' | 'other';

/** A group of records that are equal in all watched columns. */
export interface WatchedGroup {
  readonly tenantId: string;
  /** The id of the key, or of the signed-in user, because users have no key. */
  readonly keyId: string;
  readonly actorType: string;
  readonly actorId: string;
  readonly sourceAddress: string | null;
  readonly bucket: string;
  readonly kind: WatchedKind;
  /** The id of the revealed token. Empty for other kinds. */
  readonly value: string;
  /** The number of records, or of missing items if the kind is `missed`. */
  readonly count: number;
}

/** An alert that is still to be written to the log. */
export interface RaisedAlert extends Alert {
  readonly raisedAt: Date;
}

interface Range {
  readonly from: string;
  readonly to: string;
}

/**
 * Groups records by what is watched. The activity of a session counts for the key that authorized it, according to the
 * session's record. Sessions cost nothing: if each were counted on its own, a key could stay below every threshold by
 * opening new sessions, or raise an alert for each of them.
 */
const groupsText = `with watched as materialized (
    select r.tenant_id, coalesce(r.key_id, r.actor_id) as key_id, r.actor_type, r.actor_id, r.source_address, r.created_at, seen.kind,
      date_bin(make_interval(mins => $3), r.created_at, timestamptz '2000-01-01 00:00:00+00') as bucket,
      case seen.kind when 'revealed' then r.entity_id else '' end as value,
      case seen.kind when 'missed' then coalesce((r.details::json ->> 'missing')::bigint, 1) else 1 end as amount
    from audit_records r cross join lateral (select case
      when r.outcome in ('denied', 'missed') then r.outcome
      when r.operation = 'search' and r.details::json ->> 'missing' is not null then 'missed'
      when r.transform = 'reveal' and r.entity_type in ('bank', 'card', 'token') then 'revealed'
      else 'other' end as kind) seen
    where r.sealing_order >= $1 and r.sealing_order < $2
      and (r.key_id is not null or (r.actor_type = 'user' and r.actor_id is not null))
  ), sessions as (
    select tenant_id, actor_id, min(created_at) as first_at from watched where actor_type = 'session' group by 1, 2
  ), authorized as (
    select s.tenant_id, s.actor_id, a.key_id from sessions s cross join lateral (
      select a.key_id from audit_records a where a.tenant_id = s.tenant_id and a.entity_id = s.actor_id::text
        and a.created_at > s.first_at - interval '25 hours' and a.entity_type = 'session' and a.operation = 'authorize'
        and a.outcome = 'success' and a.key_id is not null limit 1) a
  )
  select w.tenant_id as "tenantId", coalesce(a.key_id, w.key_id) as "keyId", w.actor_type as "actorType",
    w.actor_id as "actorId", w.source_address as "sourceAddress", w.bucket::text, w.kind, w.value, sum(w.amount)::float8 as count
  from watched w left join authorized a
    on w.actor_type = 'session' and a.tenant_id = w.tenant_id and a.actor_id = w.actor_id
  group by 1, 2, 3, 4, 5, 6, 7, 8`;

const watchedColumns = '"tenantId" uuid, "keyId" uuid, "actorType" text, bucket timestamptz, value text, count bigint';

/** Adds to the counts of a window. If its alert was already raised, nothing more needs to be counted. */
const addText = `insert into audit_watched as known (tenant_id, key_id, rule, bucket, value, occurrences)
  select w."tenantId", w."keyId", $2, w.bucket, w.value, w.count from json_to_recordset($1::json) as w(${watchedColumns})
  where not exists (select from audit_alerts a
    where a.tenant_id = w."tenantId" and a.key_id = w."keyId" and a.rule = $2 and a.bucket = w.bucket)
  on conflict (tenant_id, key_id, rule, bucket, value) do update set occurrences = known.occurrences + excluded.occurrences`;

/** Returns SQL that raises alerts. `total` is the expression that is compared with the threshold. */
const raiseText = (total: string) => `with touched as (
    select distinct w."tenantId" as tenant_id, w."keyId" as key_id, w.bucket, w."actorType" = 'user' as is_user from json_to_recordset($1::json) as w(${watchedColumns})
  ), full_windows as (
    select t.tenant_id, t.key_id, t.bucket, t.is_user, ${total} as count from touched t
    join audit_watched k on k.tenant_id = t.tenant_id and k.key_id = t.key_id and k.rule = $2 and k.bucket = t.bucket
    group by 1, 2, 3, 4 having ${total} >= $3
  )
  insert into audit_alerts (tenant_id, key_id, rule, bucket, occurrences, is_user)
  select tenant_id, key_id, $2, bucket, count, is_user from full_windows on conflict do nothing`;

const unrecorded = 'recorded_at is null and occurrences is not null';

/**
 * Stores addresses. If a key that already has addresses uses a new one, an alert is raised, at most once per window.
 */
const addressesText = `with used as (
    select w."tenantId" as tenant_id, w."keyId" as key_id, w.value, max(w.bucket) as bucket
    from json_to_recordset($1::json) as w(${watchedColumns}) group by 1, 2, 3
  ), before as materialized (
    select u.tenant_id, u.key_id, (select count(*) from audit_watched k where k.tenant_id = u.tenant_id and k.key_id = u.key_id
      and k.rule = $2 and k.bucket = '-infinity') as addresses
    from (select distinct tenant_id, key_id from used) u
  ), remembered as (
    insert into audit_watched as known (tenant_id, key_id, rule, bucket, value, occurrences)
    select u.tenant_id, u.key_id, $2, '-infinity', u.value, 1 from used u join before b using (tenant_id, key_id)
    where b.addresses <= $3
    on conflict (tenant_id, key_id, rule, bucket, value) do update set seen_at = now()
      where known.seen_at < now() - interval '1 day'
    returning tenant_id, key_id, value, (xmax = 0) as is_new
  )
  insert into audit_alerts (tenant_id, key_id, rule, bucket, occurrences)
  select r.tenant_id, r.key_id, $2, max(u.bucket), max(b.addresses) + 1
  from remembered r join used u using (tenant_id, key_id, value) join before b using (tenant_id, key_id)
  where r.is_new and b.addresses between 1 and $3 group by 1, 2
  on conflict do nothing`;

export class WatchStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /**
   * Takes the lock until the end of the transaction. No two processes of the installation can hold it at the same time.
   */
  becomeWatcher(): Promise<boolean> {
    return takeLock(this.#tx, 'watch-lock');
  }

  /** Returns the range of the next sealed records. A transaction is never split, so there may be more than `limit`. */
  async findNext(limit: number): Promise<Range & { readonly records: number }> {
    const [row] = await this.#tx.query<Range & { records: number }>({
      name: 'watch-next',
      text: `with place as (select coalesce(watched_to, sealed_to) as watched_to, sealed_to from audit_watch_position, audit_sealing)
        select place.watched_to::text as "from", taken.records::float8 as records,
          (case when taken.records >= $1 then taken.last + 1 else place.sealed_to end)::text as "to"
        from place cross join lateral (select count(*) as records, max(next.sealing_order) as last from (
          select r.sealing_order from audit_records r where r.sealing_order >= place.watched_to and r.sealing_order < place.sealed_to
          order by r.sealing_order fetch first $1 rows with ties) next) taken`,
      values: [limit],
    });
    // If the table has lost its row, nothing would be watched, without any visible error.
    if (row === undefined)
      throw new SealingError('The table audit_watch_position has lost its row. Insert one with watched_to null.');
    return row;
  }

  listGroups({ from, to }: Range, windowMinutes: number): Promise<WatchedGroup[]> {
    return this.#tx.query({ name: 'watch-groups', text: groupsText, values: [from, to, windowMinutes] });
  }

  async moveTo(place: string): Promise<void> {
    await this.#tx.query({
      name: 'watch-move',
      text: 'update audit_watch_position set watched_to = $1::bigint where watched_to is distinct from $1::bigint',
      values: [place],
    });
  }

  /** Adds to the counts of each window, and raises an alert for each window that reaches the threshold. */
  async addAndRaise(rule: AlertRule, groups: readonly WatchedGroup[], threshold: number): Promise<void> {
    if (groups.length === 0) return;
    const json = JSON.stringify(groups);
    await this.#tx.query({ name: 'watch-add', text: addText, values: [json, rule] });
    const total = rule === 'misses' ? 'sum(k.occurrences)' : 'count(*)';
    await this.#tx.query({ name: `watch-raise-${rule}`, text: raiseText(total), values: [json, rule, threshold] });
  }

  async addAddresses(groups: readonly WatchedGroup[], addressesMax: number): Promise<void> {
    if (groups.length === 0) return;
    const rule: AlertRule = 'new-address';
    await this.#tx.query({
      name: 'watch-addresses',
      text: addressesText,
      values: [JSON.stringify(groups), rule, addressesMax],
    });
  }

  /** Returns the oldest alert that is not in a log yet, except those of the given tenants. */
  async findUnrecorded(tenantsLeftOut: readonly string[]): Promise<RaisedAlert | undefined> {
    const [row] = await this.#tx.query<RaisedAlert>({
      name: 'watch-unrecorded',
      text: `select tenant_id as "tenantId", key_id as "keyId", rule, occurrences::float8 as count, bucket as "from",
          raised_at as "raisedAt", is_user as "isUser"
        from audit_alerts where ${unrecorded} and tenant_id <> all($1::uuid[]) order by raised_at limit 1`,
      values: [tenantsLeftOut],
    });
    return row;
  }

  async noteRecorded({ tenantId, keyId, rule, from }: Alert): Promise<void> {
    await this.#tx.query({
      text: `update audit_alerts set recorded_at = now()
        where tenant_id = $1 and key_id = $2 and rule = $3 and bucket = $4`,
      values: [tenantId, keyId, rule, from],
    });
  }

  /** Deletes everything that no window needs any more. An alert is kept until it is recorded. */
  async forget({ windowMinutes }: AlertThresholds): Promise<void> {
    await this.#tx.query({
      text: `delete from audit_watched where ctid = any (array(select ctid from audit_watched
        where (bucket > '-infinity' and seen_at < now() - make_interval(mins => 2 * $1))
          or seen_at < now() - make_interval(days => $2) limit $3))`,
      values: [windowMinutes, addressKeptDays, forgottenPerPass],
    });
    await this.#tx.query({
      text: `delete from audit_alerts where ctid = any (array(select ctid from audit_alerts
        where bucket < now() - make_interval(mins => 2 * $1) - interval '1 day' and not (${unrecorded}) limit $2))`,
      values: [windowMinutes, forgottenPerPass],
    });
  }
}

-- Which standbys confirm commits is visible only to superusers and members of pg_read_all_stats, who also see the statements of
-- others. With the rights of the owner, the vault's roles learn these numbers and nothing else. If the owner may not see them
-- either, `attached`, `streaming` and `lag_bytes` are null.
create function synchronous_standbys(out needed integer, out attached integer, out streaming integer, out lag_bytes bigint)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  names text := current_setting('synchronous_standby_names');
begin
  needed := case when names = '' then 0
    else coalesce(substring(names from '(?i)^\s*(?:(?:first|any)\s*)?(\d+)\s*\(')::integer, 1) end;
  if pg_has_role(current_user, 'pg_read_all_stats', 'usage') then
    -- Not pg_stat_replication, which reads all sessions as well.
    select count(*) filter (where sync_state in ('sync', 'quorum')), count(*),
        max(pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn))
      into attached, streaming, lag_bytes
      from pg_stat_get_wal_senders() where state = 'streaming';
  end if;
end
$$;
revoke execute on function synchronous_standbys() from public;
grant execute on function synchronous_standbys()
  to strongroom_app, strongroom_system, strongroom_portal, strongroom_sealer, strongroom_worker;

-- Called before the commit of a transaction, if writes require a standby. Returns when this session last read the configuration,
-- so that it can be seen after the commit whether it has changed since; null if the transaction has written nothing.
create function require_synchronous_standby() returns text
  language plpgsql stable set search_path = pg_catalog, public, pg_temp
as $$
declare
  standbys record;
begin
  if pg_current_xact_id_if_assigned() is null then return null; end if;
  select s.needed, s.attached into standbys from synchronous_standbys() s;
  -- Where it is not known how many are attached, the commit itself waits for them.
  if standbys.needed = 0 or standbys.attached < standbys.needed then
    raise exception 'no synchronous standby is attached' using errcode = 'SR005';
  end if;
  return pg_conf_load_time()::text;
end
$$;

-- Makes the partitions of the audit log without stopping anybody. `create table … partition of` takes the log for itself
-- alone, so that behind one idle reader, such as pg_dump, every request had to wait. A table that is made aside and attached
-- takes a lock that neither reads nor writes conflict with.
create or replace function ensure_audit_partitions(months_ahead integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
  -- Whoever changes the log at this moment is rather waited for by another try than by a queue.
  set lock_timeout = '1s'
as $$
declare
  first_day date;
  partition_name text;
  created integer := 0;
begin
  if months_ahead is null or months_ahead < 0 or months_ahead > 24 then
    raise exception 'months_ahead must lie between 0 and 24';
  end if;
  -- One maker at a time: two would otherwise race between the look and the create.
  perform pg_advisory_xact_lock(hashtext('ensure_audit_partitions'));
  for month in 0 .. months_ahead loop
    first_day := (date_trunc('month', now() at time zone 'UTC') + make_interval(months => month))::date;
    partition_name := format('audit_records_%s', to_char(first_day, 'YYYY_MM'));
    if to_regclass('public.' || partition_name) is null then
      execute format('create table public.%I (like public.audit_records including defaults including comments)', partition_name);
      -- Reached through its parent only: without this a partition could be read past the policy of the parent.
      execute format('alter table public.%I enable row level security', partition_name);
      execute format('alter table public.%I force row level security', partition_name);
      -- It is empty, so there is nothing to scan; its indexes are made here as well.
      execute format(
        'alter table public.audit_records attach partition public.%I for values from (%L) to (%L)',
        partition_name, first_day::timestamp at time zone 'UTC', (first_day + interval '1 month') at time zone 'UTC');
      created := created + 1;
    end if;
  end loop;
  return created;
end
$$;
select ensure_audit_partitions(3);

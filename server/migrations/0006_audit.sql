-- One row for every operation, in the transaction of that operation. Partitioned by month: the log grows fastest of
-- all, and old months leave by dropping a partition, never by deleting rows.
create table audit_records (
  tenant_id uuid not null,
  entity_id text not null,
  created_at timestamptz(3) not null default now(),
  id uuid not null default gen_random_uuid(),
  entity_type text not null,
  operation text not null,
  outcome text not null,
  actor_id uuid,
  actor_type text,
  key_id uuid,
  request_id text,
  source_address text,
  containers text[],
  constraint audit_records_pkey primary key (tenant_id, created_at, id, entity_id)
) partition by range (created_at);
create index audit_records_of_entity on audit_records (tenant_id, entity_id, created_at);

alter table audit_records enable row level security;
alter table audit_records force row level security;
create policy audit_records_isolation on audit_records to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());

-- Insert and select, never update or delete: a record that was written stays written.
grant select, insert on audit_records to strongroom_app;

-- Makes the partitions of this month and the months ahead. It runs with the owner's rights, because the application's
-- role may not create tables; it takes nothing from its caller but a small number.
create function ensure_audit_partitions(months_ahead integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
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
      execute format(
        'create table public.%I partition of public.audit_records for values from (%L) to (%L)',
        partition_name, first_day::timestamp at time zone 'UTC', (first_day + interval '1 month') at time zone 'UTC');
      -- Reached through its parent only: without this a partition could be read past the policy of the parent.
      execute format('alter table public.%I enable row level security', partition_name);
      execute format('alter table public.%I force row level security', partition_name);
      created := created + 1;
    end if;
  end loop;
  return created;
end
$$;
revoke execute on function ensure_audit_partitions(integer) from public;
grant execute on function ensure_audit_partitions(integer) to strongroom_app, strongroom_system;
select ensure_audit_partitions(3);

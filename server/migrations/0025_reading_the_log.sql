-- Filters of the log, and sealing that a damaged checkpoint stops for its tenant only.

-- What a request did. The indexes of the months there are were built by the migration before, without stopping anybody; a
-- month that was made since then is empty. Bytes are compared: the order of a language costs more and nobody asks for it.
create index audit_records_of_request on only audit_records (tenant_id, request_id collate "C", created_at);
do $$
declare
  month regclass;
  index_name text;
begin
  for month in select inhrelid::regclass from pg_inherits where inhparent = 'audit_records'::regclass order by 1 loop
    index_name := month || '_tenant_id_request_id_created_at_idx';
    if to_regclass(index_name) is null then
      execute format('create index %I on %s (tenant_id, request_id collate "C", created_at)', index_name, month);
    end if;
    execute format('alter index audit_records_of_request attach partition %I', index_name);
  end loop;
end
$$;

-- Where in the log a value occurs: records counted by hour and day, for each kind of entity, and the minutes of the hour. The
-- worker keeps them from sealed records, so writers pay nothing for them. They say where to look; the records say what there is.
create table audit_facets (
  tenant_id uuid not null,
  field text collate "C" not null,
  value text collate "C" not null,
  grain text collate "C" not null,
  entity_type text collate "C" not null,
  bucket timestamptz(3) not null,
  records bigint not null,
  minutes bigint,
  constraint audit_facets_pkey primary key (tenant_id, field, value, grain, entity_type, bucket),
  constraint audit_facets_grain_known check (grain in ('hour', 'day')),
  constraint audit_facets_minutes_of_hours check ((minutes is not null) = (grain = 'hour'))
) with (fillfactor = 80);
comment on column audit_facets.field is 'Column of audit_records that holds the value.';
comment on column audit_facets.minutes is 'Bit n is set if the value occurs in minute n of the hour. A row for each minute took ten times the space.';
alter table audit_facets enable row level security;
alter table audit_facets force row level security;
create policy audit_facets_isolation on audit_facets for select to strongroom_app
  using (tenant_id = current_tenant_id());
create policy audit_facets_system on audit_facets to strongroom_sealer using (true) with check (true);
grant select on audit_facets to strongroom_app;
grant select, insert, update, delete on audit_facets to strongroom_sealer;

-- How far the facets have come: they hold every record before `kept_to` in sealing order, and none from there on. They begin
-- with the oldest record, so that what was sealed before there were facets gets them too.
create table audit_facet_position (
  only_row boolean not null default true,
  kept_to bigint not null,
  constraint audit_facet_position_pkey primary key (only_row),
  constraint audit_facet_position_one_row check (only_row)
);
insert into audit_facet_position (kept_to) values (-9223372036854775808);
alter table audit_facet_position enable row level security;
alter table audit_facet_position force row level security;
create policy audit_facet_position_read on audit_facet_position for select to strongroom_app using (true);
create policy audit_facet_position_system on audit_facet_position to strongroom_sealer using (true) with check (true);
grant select on audit_facet_position to strongroom_app;
grant select, update on audit_facet_position to strongroom_sealer;

-- Tenants whose newest checkpoint is not sound. Nothing is sealed on top of it; the sealer goes on with the others, and
-- takes the tenant's records up from `order_from` once the checkpoint has been put right.
create table audit_seal_stops (
  tenant_id uuid not null,
  order_from bigint not null,
  reason text not null,
  stopped_at timestamptz(3) not null default now(),
  constraint audit_seal_stops_pkey primary key (tenant_id)
);
comment on column audit_seal_stops.order_from is 'The tenant''s records from here on in sealing order are not sealed.';
alter table audit_seal_stops enable row level security;
alter table audit_seal_stops force row level security;
create policy audit_seal_stops_isolation on audit_seal_stops for select to strongroom_app
  using (tenant_id = current_tenant_id());
create policy audit_seal_stops_system on audit_seal_stops to strongroom_sealer using (true) with check (true);
grant select on audit_seal_stops to strongroom_app;
grant select, insert, update, delete on audit_seal_stops to strongroom_sealer;

-- A worker that finds nothing to seal says so a few times a minute, so that `audit verify` can tell whether there is one.
alter table audit_sealing add column looked_at timestamptz(3);

-- The transaction that has been open for longest, which holds sealing back. With the owner's rights, because PostgreSQL hides
-- the sessions of other logins; it shows no statement and takes nothing from its caller.
create function oldest_open_transaction() returns table (since timestamptz, application text, is_prepared boolean)
  language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select open.since, open.application, open.is_prepared from (
    select age(backend_xid) as age, xact_start as since, application_name as application, false as is_prepared
    from pg_stat_activity where backend_xid is not null
    union all select age(transaction), prepared, gid, true from pg_prepared_xacts) open
  order by open.age desc limit 1
$$;
revoke execute on function oldest_open_transaction() from public;
grant execute on function oldest_open_transaction() to strongroom_sealer;

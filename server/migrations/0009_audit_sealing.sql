-- breaking
-- Sealing: after they are committed, records become leaves of one Merkle tree a tenant, whose signed roots (checkpoints)
-- show afterwards whether any of them was changed, removed or added.

-- A fourth role, for the worker: it reads the log of every tenant and writes what seals it. Logins that only serve
-- requests need not be members of it, and then cannot forge a seal.
do $$
begin
  create role strongroom_sealer nologin;
exception when duplicate_object then null;
end
$$;
grant strongroom_sealer to current_user;
grant usage on schema public to strongroom_sealer;

-- Where a record stands among all of them. Within one database cluster it is the number of its transaction, because only
-- of those PostgreSQL can tell up to which all have ended; ids and times are not in the order of commits. Transaction
-- numbers begin anew when a dump is restored into another cluster, so an epoch, which a dump carries along, stands before.
create sequence audit_epochs minvalue 0 start 0;
create function audit_order(transaction_number xid8) returns bigint
  language sql stable
  return (select last_value from audit_epochs) * 281474976710656 + transaction_number::text::bigint;
grant select, update on sequence audit_epochs to strongroom_sealer;
grant select on sequence audit_epochs to strongroom_app;

alter table audit_records add column destination text;
alter table audit_records add column sealing_order bigint;
-- What was written before this migration comes first, in the order of its time.
alter table audit_records no force row level security;
update audit_records set sealing_order = (extract(epoch from created_at) * 1000)::bigint - 8796093022208;
alter table audit_records force row level security;
alter table audit_records alter column sealing_order set not null;
alter table audit_records alter column sealing_order set default audit_order(pg_current_xact_id());
comment on column audit_records.destination is 'Host that a proxied call went to.';
comment on column audit_records.sealing_order is 'audit_order() of the transaction that wrote the record; the sealer follows it.';

-- The log is read by kind of entity as often as whole; led by the kind, one index serves both.
alter table audit_records drop constraint audit_records_pkey;
alter table audit_records add constraint audit_records_pkey
  primary key (tenant_id, entity_type, created_at, id, entity_id);
-- Does not lead with the tenant, on purpose: the sealer takes what is new of all tenants in one scan.
create index audit_records_in_sealing_order on audit_records (sealing_order);

-- Nobody chooses where in the log a record stands. As a subquery it is asked for once a statement.
alter policy audit_records_isolation on audit_records with check (
  tenant_id = current_tenant_id() and sealing_order = (select audit_order(pg_current_xact_id())));
create policy audit_records_system on audit_records for select to strongroom_sealer using (true);
grant select on audit_records to strongroom_sealer;

-- How far the sealer has come: every record before `sealed_to` is in a tree, none from there on.
create table audit_sealing (
  only_row boolean not null default true,
  sealed_to bigint not null,
  constraint audit_sealing_pkey primary key (only_row),
  constraint audit_sealing_one_row check (only_row)
);
insert into audit_sealing (sealed_to) values (-9223372036854775808);
alter table audit_sealing enable row level security;
alter table audit_sealing force row level security;
create policy audit_sealing_read on audit_sealing for select to strongroom_app using (true);
create policy audit_sealing_system on audit_sealing to strongroom_sealer using (true) with check (true);
grant select on audit_sealing to strongroom_app;
grant select, update on audit_sealing to strongroom_sealer;

-- Begins a new epoch where the records are ahead of the cluster's transaction numbers: the database was restored from a
-- dump into another cluster, whose numbers are lower, and new records would sort before old ones.
create function ensure_audit_order_grows() returns void
  language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  select setval('audit_epochs', last_value + 1) from audit_epochs
  where (select max(sealing_order) from audit_records) >= audit_order(pg_snapshot_xmax(pg_current_snapshot()))
    or (select sealed_to from audit_sealing) > audit_order(pg_snapshot_xmax(pg_current_snapshot()))
$$;
-- With the rights of the sealer, since row-level security hides the log from the owner.
grant create on schema public to strongroom_sealer;
alter function ensure_audit_order_grows() owner to strongroom_sealer;
revoke create on schema public from strongroom_sealer;
revoke execute on function ensure_audit_order_grows() from public;
grant execute on function ensure_audit_order_grows() to strongroom_system;

-- The root of a tenant's tree at a size, signed. The records of a checkpoint are those between the `order_to` of the one
-- before and its own; they are all of one month, so that a month which is dropped takes whole checkpoints with it.
create table audit_checkpoints (
  tenant_id uuid not null,
  number bigint not null,
  tree_size bigint not null,
  month date not null,
  order_to bigint not null,
  root bytea not null,
  frontier bytea not null,
  sealed_at timestamptz(3) not null,
  key_version integer not null,
  signature bytea not null,
  constraint audit_checkpoints_pkey primary key (tenant_id, number)
);
create index audit_checkpoints_of_size on audit_checkpoints (tenant_id, tree_size);
create index audit_checkpoints_of_order on audit_checkpoints (tenant_id, order_to);
comment on column audit_checkpoints.frontier is 'Roots of the complete subtrees, largest first: all that is needed to append.';
alter table audit_checkpoints enable row level security;
alter table audit_checkpoints force row level security;
create policy audit_checkpoints_isolation on audit_checkpoints for select to strongroom_app
  using (tenant_id = current_tenant_id());
create policy audit_checkpoints_system on audit_checkpoints to strongroom_sealer using (true) with check (true);
grant select on audit_checkpoints to strongroom_app;
-- Insert and select, never update or delete.
grant select, insert on audit_checkpoints to strongroom_sealer;

-- Sealed records counted by minute, hour and day, so that a count over any time adds up few rows.
create table audit_counts (
  tenant_id uuid not null,
  grain text not null,
  bucket timestamptz(3) not null,
  entity_type text not null,
  records bigint not null,
  constraint audit_counts_pkey primary key (tenant_id, grain, bucket, entity_type),
  constraint audit_counts_grain_known check (grain in ('minute', 'hour', 'day'))
);
alter table audit_counts enable row level security;
alter table audit_counts force row level security;
create policy audit_counts_isolation on audit_counts for select to strongroom_app
  using (tenant_id = current_tenant_id());
create policy audit_counts_system on audit_counts to strongroom_sealer using (true) with check (true);
grant select on audit_counts to strongroom_app;
grant select, insert, update, delete on audit_counts to strongroom_sealer;

-- Drops the records of one month. It runs with the owner's rights; whoever calls it cannot reach the last three months.
create function drop_audit_partition(month date) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  -- A month before Christ would have the name of one of today.
  if month is null or month < '2000-01-01' or month >= (date_trunc('month', now() at time zone 'UTC') - interval '3 months')::date then
    raise exception 'the records of the last three months are never dropped';
  end if;
  -- Rather try again later than make every operation queue behind this one.
  set local lock_timeout = '2s';
  execute format('drop table if exists public.%I', format('audit_records_%s', to_char(month, 'YYYY_MM')));
end
$$;
revoke execute on function drop_audit_partition(date) from public;
grant execute on function drop_audit_partition(date) to strongroom_sealer;

-- Checkpoints are signed by a key of the installation: a tenant's own key goes with the tenant, and the record of its
-- deletion has to be sealed after that.
alter table system_keys drop constraint system_keys_purpose_known;
alter table system_keys add constraint system_keys_purpose_known check (purpose in ('credential', 'exchange', 'audit'));
alter table tenant_keys no force row level security;
delete from tenant_keys where purpose = 'audit';
alter table tenant_keys force row level security;
alter table tenant_keys drop constraint tenant_keys_purpose_known;
alter table tenant_keys add constraint tenant_keys_purpose_known check (purpose in ('data', 'fingerprint', 'index'));

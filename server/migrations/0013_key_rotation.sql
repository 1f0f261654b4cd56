-- A version of a data key goes through three states: open, closed (opens what it sealed, seals nothing more), gone.
alter table tenant_keys add column closed_at timestamptz(3);
comment on column tenant_keys.closed_at is 'From then on nothing is sealed under this version; what it sealed still opens.';

-- Re-wrapping changes who holds a key, never the key; closing it is the only other change.
grant update (root_key, wrapped, closed_at) on tenant_keys to strongroom_app;
grant update (root_key, wrapped) on system_keys to strongroom_system;

-- The version of the tenant key that a sealed record names in its bytes 2 to 5.
create function key_version(record bytea) returns integer
  language sql immutable strict parallel safe
  return get_byte(substring(record from 3 for 4), 0) << 24 | get_byte(substring(record from 3 for 4), 1) << 16
    | get_byte(substring(record from 3 for 4), 2) << 8 | get_byte(substring(record from 3 for 4), 3);

-- Whoever writes sealed records asks first, in the statement that writes. The shared lock lasts until that transaction
-- ends, and whoever closes a version holds it alone: so there is no moment in which a record can slip in under a version
-- that is closed, not even from a server that slept through the change. Volatile, since what was committed while this
-- waited for the lock has to be seen.
create function require_open_keys(tenant uuid, versions integer[]) returns boolean
  language plpgsql volatile
as $$
begin
  -- Under another level the snapshot would be older than the lock.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'sealed records are written under read committed' using errcode = 'SR002';
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('strongroom/data-keys/' || tenant, 0));
  if exists (
    select from unnest(versions) as wanted(version)
    where not exists (
      select from tenant_keys k where k.tenant_id = tenant and k.purpose = 'data' and k.version = wanted.version
        and k.closed_at is null)
  ) then
    raise exception 'a key version is closed' using errcode = 'SR001';
  end if;
  return true;
end
$$;

-- Closes every version but the newest, and tells how many were open until now.
create function close_older_keys(tenant uuid) returns integer
  language plpgsql volatile
as $$
declare
  closed integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('strongroom/data-keys/' || tenant, 0));
  update tenant_keys k set closed_at = clock_timestamp()
    where k.tenant_id = tenant and k.purpose = 'data' and k.closed_at is null
      and k.version < (select max(n.version) from tenant_keys n where n.tenant_id = tenant and n.purpose = 'data');
  get diagnostics closed = row_count;
  return closed;
end
$$;

-- How far the re-encryption of a table has come: everything up to `position` is under the target version or newer.
create table reencryptions (
  tenant_id uuid not null,
  source text not null,
  target_version integer not null,
  position text not null default '',
  rows_read bigint not null default 0,
  rows_changed bigint not null default 0,
  rows_unreadable bigint not null default 0,
  started_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  constraint reencryptions_pkey primary key (tenant_id, source),
  constraint reencryptions_tenant_fkey foreign key (tenant_id) references tenants (id) on delete cascade
);
alter table reencryptions enable row level security;
alter table reencryptions force row level security;
create policy reencryptions_isolation on reencryptions to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
grant select, insert, update on reencryptions to strongroom_app;

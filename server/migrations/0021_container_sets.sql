-- A set of containers costs every list something, for as long as it is known. These tables make that cost small, and let
-- it be limited: totals that need no look at the sets, sets that are found by container, and how many there are. Triggers
-- keep them, so that they are right whoever writes a counter, a server of the version before included.

-- Type and containers as one text, the way tokens carry it.
create function shelf_of(type text, containers text[]) returns text
  language sql immutable strict parallel safe
  return type || ' ' || array_to_string(containers, ' ');

alter table token_counts add column shelf text generated always as (shelf_of(type, containers)) stored;
comment on column token_counts.shelf is 'As in tokens. Under row-level security PostgreSQL uses an index on text, but not on an array.';
create index token_counts_of_shelf on token_counts (tenant_id, shelf);

-- How many tokens a tenant has by type: the sum of its counters.
create table token_totals (
  tenant_id uuid not null,
  type text not null,
  slot smallint not null,
  tokens bigint not null,
  last_created_at timestamptz(3),
  constraint token_totals_pkey primary key (tenant_id, type, slot)
) with (fillfactor = 50);

-- The sets that a container is part of. Texts in the order of their bytes, so that a subtree is a range, and a type too.
create table token_sets (
  tenant_id uuid not null,
  container text collate "C" not null,
  shelf text collate "C" not null,
  constraint token_sets_pkey primary key (tenant_id, container, shelf)
);

create index token_sets_of_type on token_sets (tenant_id, shelf);

create table token_set_totals (
  tenant_id uuid not null,
  sets integer not null default 0,
  public_day date,
  public_sets integer not null default 0,
  constraint token_set_totals_pkey primary key (tenant_id)
);
comment on column token_set_totals.public_sets is 'Sets that public and session keys have made on public_day.';

alter table token_totals enable row level security;
alter table token_totals force row level security;
create policy token_totals_isolation on token_totals to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
alter table token_sets enable row level security;
alter table token_sets force row level security;
create policy token_sets_isolation on token_sets to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
alter table token_set_totals enable row level security;
alter table token_set_totals force row level security;
create policy token_set_totals_isolation on token_set_totals to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
grant select, insert, update, delete on token_totals, token_sets, token_set_totals to strongroom_app;

-- Everything here is locked in one order, so that no two transactions wait for each other:
--   1. the sets of the tenant (lock_token_sets): shared by all who write counters, exclusively by who forgets sets;
--   2. token_set_totals, by who creates sets;
--   3. token_counts;
--   4. token_totals, those of counters that there were before those of new counters;
--   5. token_sets, by who adds counters.
-- Rows of one table are locked in the order of their keys. Whoever holds the first lock exclusively finds the others free.
create function lock_token_sets(tenant uuid, is_exclusive boolean) returns void
  language plpgsql volatile strict
as $$
declare
  key bigint := hashtextextended('strongroom/token-sets/' || tenant, 0);
begin
  if is_exclusive then
    perform pg_advisory_xact_lock(key);
  else
    perform pg_advisory_xact_lock_shared(key);
  end if;
end
$$;

create function share_token_sets() returns trigger
  language plpgsql
as $$
begin
  perform lock_token_sets(current_tenant_id(), false);
  return null;
end
$$;

-- Adds what has changed in some counters to the totals. PostgreSQL calls it for the counters that a statement has updated
-- before it does for those inserted. The latter have rows of their own, so that the order of both together is fixed too.
create function add_token_totals() returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'UPDATE' then
    insert into token_totals as total (tenant_id, type, slot, tokens, last_created_at)
      select tenant_id, type, slot, sum(tokens), max(last_created_at) from (
        select tenant_id, type, slot, tokens, last_created_at from new_counts
        union all select tenant_id, type, slot, -tokens, null from old_counts) as change
      group by 1, 2, 3 order by 1, 2, 3
      on conflict (tenant_id, type, slot) do update set tokens = total.tokens + excluded.tokens,
        last_created_at = greatest(total.last_created_at, excluded.last_created_at);
  elsif tg_op = 'INSERT' then
    insert into token_totals as total (tenant_id, type, slot, tokens, last_created_at)
      select tenant_id, type, -1 - slot, sum(tokens), max(last_created_at) from new_counts group by 1, 2, 3 order by 1, 2, 3
      on conflict (tenant_id, type, slot) do update set tokens = total.tokens + excluded.tokens,
        last_created_at = greatest(total.last_created_at, excluded.last_created_at);
  else
    insert into token_totals as total (tenant_id, type, slot, tokens)
      select tenant_id, type, slot, -sum(tokens) from old_counts group by 1, 2, 3 order by 1, 2, 3
      on conflict (tenant_id, type, slot) do update set tokens = total.tokens + excluded.tokens;
  end if;
  return null;
end
$$;

-- A new counter may be the first of its set.
create function note_token_sets() returns trigger
  language plpgsql
as $$
begin
  -- Most statements add to counters that there are.
  if not exists (select from new_counts) then
    return null;
  end if;
  with noted as (
    insert into token_sets (tenant_id, container, shelf)
    select distinct tenant_id, container, shelf from new_counts cross join unnest(containers) as container order by 1, 2, 3
    on conflict (tenant_id, container, shelf) do nothing
    returning tenant_id, shelf
  )
  insert into token_set_totals as total (tenant_id, sets)
  select tenant_id, count(distinct shelf) from noted group by 1 order by 1
  on conflict (tenant_id) do update set sets = total.sets + excluded.sets;
  return null;
end
$$;

-- Asked by the statement that writes tokens, before it writes any: fails where it would make more sets than there may be.
-- Who makes new sets of a tenant waits for others who do, and then sees theirs. A set that is known stays so until this
-- transaction ends.
create function require_room_for_sets(
  tenant uuid, wanted text[], by_public text[], sets_max integer, public_max integer) returns boolean
  language plpgsql volatile
as $$
declare
  missing text[];
  missing_by_public integer;
  total token_set_totals%rowtype;
  today date := (now() at time zone 'utc')::date;
begin
  perform lock_token_sets(tenant, false);
  if not exists (select from missing_sets(tenant, wanted)) then
    return true;
  end if;
  insert into token_set_totals (tenant_id) values (tenant) on conflict (tenant_id) do nothing;
  select * into total from token_set_totals where tenant_id = tenant for update;
  missing := array(select missing_sets(tenant, wanted));
  if total.sets + cardinality(missing) > sets_max then
    raise exception 'the tenant has as many container sets as it may' using errcode = 'SR003';
  end if;
  missing_by_public := cardinality(array(select unnest(missing) intersect select unnest(by_public)));
  if missing_by_public > 0 then
    if total.public_day is distinct from today then
      total.public_sets := 0;
    end if;
    if total.public_sets + missing_by_public > public_max then
      raise exception 'public keys have made as many container sets as they may today' using errcode = 'SR004';
    end if;
    update token_set_totals set public_day = today, public_sets = total.public_sets + missing_by_public
      where tenant_id = tenant;
  end if;
  return true;
end
$$;

-- Volatile, since the second look has to see what was committed since the first. One look into the index for each that is
-- wanted: as a join it was planned over all sets of the tenant.
create function missing_sets(tenant uuid, wanted text[]) returns setof text
  language plpgsql volatile
as $$
begin
  return query select w.shelf from unnest(wanted) as w(shelf) where (
    select true from token_sets s
    where s.tenant_id = tenant and s.container = split_part(w.shelf, ' ', 2) and s.shelf = w.shelf) is null;
end
$$;

-- What there is already. The owner of a table with forced policies sees none of its rows.
alter table token_counts no force row level security;
alter table token_totals no force row level security;
alter table token_sets no force row level security;
alter table token_set_totals no force row level security;
insert into token_totals (tenant_id, type, slot, tokens, last_created_at)
  select tenant_id, type, slot, sum(tokens), max(last_created_at) from token_counts group by 1, 2, 3;
insert into token_sets (tenant_id, container, shelf)
  select distinct tenant_id, container, shelf from token_counts cross join unnest(containers) as container;
insert into token_set_totals (tenant_id, sets) select tenant_id, count(distinct shelf) from token_sets group by 1;
alter table token_counts force row level security;
alter table token_totals force row level security;
alter table token_sets force row level security;
alter table token_set_totals force row level security;

create trigger token_counts_shared before insert on token_counts
  for each statement execute function share_token_sets();
create trigger token_counts_inserted after insert on token_counts
  referencing new table as new_counts for each statement execute function add_token_totals();
create trigger token_counts_updated after update on token_counts
  referencing old table as old_counts new table as new_counts for each statement execute function add_token_totals();
create trigger token_counts_deleted after delete on token_counts
  referencing old table as old_counts for each statement execute function add_token_totals();
create trigger token_counts_noted after insert on token_counts
  referencing new table as new_counts for each statement execute function note_token_sets();

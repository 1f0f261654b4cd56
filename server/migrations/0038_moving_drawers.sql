-- Drawers move from one database of a vault to another while servers keep serving. What is under way is written down where it
-- happens, so that a move that was killed can be continued or given up by anyone.

-- Kept on the database that drawers leave. Only the owner of the schema moves drawers.
create table drawer_moves (
  id uuid not null default gen_random_uuid(),
  to_node text not null,
  drawers bytea not null,
  state text not null default 'copying',
  copied_tenant uuid,
  copied_token text,
  tenants uuid[] not null default '{}',
  started_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  constraint drawer_moves_pkey primary key (id),
  constraint drawer_moves_whole check (length(drawers) = 512),
  constraint drawer_moves_state_known
    check (state in ('copying', 'leaving', 'left', 'arrived', 'giving-up', 'done', 'given-up')),
  constraint drawer_moves_finished check ((finished_at is null) = (state not in ('done', 'given-up')))
);
comment on table drawer_moves is 'Moves of drawers from this database to another.';
comment on column drawer_moves.drawers is 'A bit for each drawer, as in held_drawers.';
comment on column drawer_moves.state is 'copying: still held here. leaving: held by nobody, the last changes follow. left: no longer counted here. arrived: held by the other, to be deleted here.';
comment on column drawer_moves.copied_token is 'The last token that was looked at for copying, of copied_tenant; null where all of the tenants before it are copied.';
comment on column drawer_moves.tenants is 'Whose tokens are to be deleted here after they have left.';
create unique index drawer_moves_one_at_a_time on drawer_moves ((finished_at is null)) where finished_at is null;
alter table drawer_moves enable row level security;

-- Tokens that have changed here since their drawers began to be copied.
create table drawer_changes (
  number bigint generated always as identity,
  tenant_id uuid not null,
  token_id text not null,
  constraint drawer_changes_pkey primary key (number)
);
create index drawer_changes_of_tenant on drawer_changes (tenant_id, number);

-- How many tokens have been copied into this database that are not counted yet, since their drawers are not held here yet.
create table drawer_arrivals (
  tenant_id uuid not null,
  type text not null,
  containers text[] not null,
  tokens bigint not null,
  last_created_at timestamptz(3),
  constraint drawer_arrivals_pkey primary key (tenant_id, type, containers)
);

-- Servers add to the first and know nothing of the second; both are read only by who moves drawers.
alter table drawer_changes enable row level security;
alter table drawer_changes force row level security;
create policy drawer_changes_noted on drawer_changes for insert to strongroom_app with check (tenant_id = current_tenant_id());
create policy drawer_changes_moved on drawer_changes to strongroom_app
  using (coalesce(current_setting('app.moves_drawers', true), '') = 'on');
alter table drawer_arrivals enable row level security;
alter table drawer_arrivals force row level security;
create policy drawer_arrivals_moved on drawer_arrivals to strongroom_app
  using (coalesce(current_setting('app.moves_drawers', true), '') = 'on');
grant select, insert, delete on drawer_changes to strongroom_app;
grant select, insert, update, delete on drawer_arrivals to strongroom_app;

-- Called by triggers that exist only while drawers are being copied, for tokens in these drawers. Whoever moves them deletes what
-- has left without a note.
create function note_drawer_change() returns trigger
  language plpgsql set search_path = pg_catalog, public, pg_temp
as $$
declare
  tenant uuid;
  token text;
begin
  if coalesce(current_setting('app.moves_drawers', true), '') = 'on' then
    return null;
  end if;
  if tg_table_name = 'tokens' then
    if tg_op = 'DELETE' then
      tenant := old.tenant_id;
      token := old.id;
    else
      tenant := new.tenant_id;
      token := new.id;
    end if;
  elsif tg_op = 'DELETE' then
    tenant := old.tenant_id;
    token := old.token_id;
  else
    tenant := new.tenant_id;
    token := new.token_id;
  end if;
  insert into drawer_changes (tenant_id, token_id) values (tenant, token);
  return null;
end
$$;

-- Lists changes of tokens in these drawers from now on.
create function note_drawer_changes(drawers bytea) returns void
  language plpgsql set search_path = pg_catalog, public, pg_temp
as $$
declare
  noted record;
begin
  for noted in select * from (values ('tokens', 'id'), ('token_cvcs', 'token_id')) as t(name, key) loop
    execute format(
      'create or replace trigger %I after insert or update on %I for each row
        when (get_bit(%L::bytea, drawer_of(new.%I)) = 1) execute function note_drawer_change()',
      noted.name || '_written_in_moving', noted.name, drawers, noted.key);
    execute format(
      'create or replace trigger %I after delete on %I for each row
        when (get_bit(%L::bytea, drawer_of(old.%I)) = 1) execute function note_drawer_change()',
      noted.name || '_deleted_in_moving', noted.name, drawers, noted.key);
  end loop;
end
$$;
revoke execute on function note_drawer_changes(bytea) from public;

-- Adds tokens that have arrived to the counters, or takes off those that have left: of all tenants at once, since nobody holds
-- them meanwhile. The slot is one that no server adds to, so that none waits for this.
create function count_moved_tokens(counts jsonb, direction integer, own_slot integer) returns void
  language plpgsql set search_path = pg_catalog, public, pg_temp
as $$
declare
  own record;
begin
  for own in select key::uuid as tenant, value as sets from jsonb_each(counts) order by key loop
    perform set_config('app.tenant_id', own.tenant::text, true);
    insert into token_counts (tenant_id, type, containers, slot, tokens, last_created_at)
      select own.tenant, type, containers, own_slot, direction * tokens, case when direction > 0 then last_created_at end
      from jsonb_to_recordset(own.sets) as moved(type text, containers text[], tokens bigint, last_created_at timestamptz)
      order by type, containers
      on conflict (tenant_id, type, containers, slot) do update set tokens = token_counts.tokens + excluded.tokens,
        last_created_at = greatest(token_counts.last_created_at, excluded.last_created_at);
  end loop;
end
$$;
revoke execute on function count_moved_tokens(jsonb, integer, integer) from public;
grant execute on function count_moved_tokens(jsonb, integer, integer) to strongroom_app;

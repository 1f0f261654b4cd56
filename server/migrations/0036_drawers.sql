-- Tokens lie in 4,096 drawers, by a hash of their ids. This database holds all of them, unless drawers have been moved to nodes:
-- databases with the same schema that hold tokens and the records about them, and nothing else.
create function drawer_of(id text) returns integer
  language sql stable strict parallel safe
  return ('x' || left(encode(sha256(convert_to(id, 'UTF8')), 'hex'), 3))::bit(12)::integer;

create table held_drawers (
  only_row boolean not null default true,
  node text not null,
  vault_id uuid not null default gen_random_uuid(),
  held bytea not null,
  constraint held_drawers_pkey primary key (only_row),
  constraint held_drawers_one_row check (only_row),
  constraint held_drawers_whole check (length(held) = 512)
);
comment on table held_drawers is 'Which drawers this database holds. At most one database of a vault holds a drawer.';
comment on column held_drawers.node is 'The name of this database within the vault: home for the one that everything else is in.';
comment on column held_drawers.vault_id is 'The same in all databases of a vault.';
comment on column held_drawers.held is 'A bit for each drawer.';
insert into held_drawers (node, held) values ('home', decode(repeat('ff', 512), 'hex'));

-- Only the owner of the schema moves drawers.
alter table held_drawers enable row level security;
create policy held_drawers_read on held_drawers for select to strongroom_app, strongroom_system, strongroom_sealer using (true);
grant select on held_drawers to strongroom_app, strongroom_system, strongroom_sealer;

-- The nodes of this vault, kept at home. A process that does not know all of them would find neither their tokens nor their logs.
create table vault_nodes (
  name text not null,
  added_at timestamptz(3) not null default now(),
  constraint vault_nodes_pkey primary key (name)
);
alter table vault_nodes enable row level security;
create policy vault_nodes_read on vault_nodes for select to strongroom_app, strongroom_system, strongroom_sealer using (true);
grant select on vault_nodes to strongroom_app, strongroom_system, strongroom_sealer;

-- Hides tokens in drawers that are not held here, and refuses new ones. Only for a vault that has nodes: where there is one
-- database, nothing is checked that could not be otherwise. Whoever moves a drawer fills it before it is held.
create function guard_drawers() returns void
  language plpgsql set search_path = pg_catalog, public, pg_temp
as $$
declare
  guarded record;
begin
  for guarded in select * from (values ('tokens', 'id'), ('token_terms', 'token_id'), ('token_cvcs', 'token_id')) as t(name, key) loop
    if not exists (select from pg_policy where polrelid = guarded.name::regclass and polname = guarded.name || '_in_drawers') then
      execute format(
        'create policy %I on %I as restrictive to strongroom_app using (
          (select coalesce(current_setting(''app.moves_drawers'', true), '''') = ''on'')
          or get_bit((select held from held_drawers), drawer_of(%I)) = 1)',
        guarded.name || '_in_drawers', guarded.name, guarded.key);
    end if;
  end loop;
end
$$;
revoke execute on function guard_drawers() from public;

-- What became of a transaction that several nodes have prepared. Whoever writes the row first decides: the server that has prepared
-- it, or a worker that has waited long enough for that server.
create table joint_commits (
  tenant_id uuid not null,
  id uuid not null,
  is_committed boolean not null,
  decided_at timestamptz(3) not null default now(),
  constraint joint_commits_pkey primary key (tenant_id, id)
);
alter table joint_commits enable row level security;
alter table joint_commits force row level security;
create policy joint_commits_isolation on joint_commits to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
grant select, insert, delete on joint_commits to strongroom_app;

-- A database that may have been restored to an earlier state is not taken at its word. Copies are compared instead of counted on, and
-- what is left behind is deleted only where the other database has it in writing that it has received the drawers.
create table drawer_receipts (
  move_id uuid not null,
  counts jsonb not null,
  received_at timestamptz(3) not null default now(),
  constraint drawer_receipts_pkey primary key (move_id)
);
comment on table drawer_receipts is 'Moves of other databases by which this one has come to hold drawers, written in the transaction since which it holds them.';
comment on column drawer_receipts.counts is 'How many tokens have arrived, of which tenants, types and containers.';
alter table drawer_receipts enable row level security;

alter table drawer_moves drop column copied_tenant, drop column copied_token, add column uncounted jsonb,
  add column deleting_since timestamptz(3);
comment on column drawer_moves.uncounted is 'What is no longer counted here, as in drawer_receipts: counted again if the drawers are taken back.';
comment on column drawer_moves.deleting_since is 'Null as long as everything is still here, so that the drawers can be taken back.';
do $$ begin
  if exists (select from drawer_moves where state in ('left', 'arrived')) then
    raise exception 'A move of drawers is unfinished: complete it with the version that began it (strongroom nodes move), then migrate.';
  end if;
end $$;
alter table drawer_moves drop constraint drawer_moves_state_known;
alter table drawer_moves add constraint drawer_moves_state_known
  check (state in ('copying', 'leaving', 'arrived', 'giving-up', 'done', 'given-up'));
comment on column drawer_moves.state is 'copying: still held here. leaving: held by nobody, the last changes follow. arrived: held by the other, to be deleted here.';

-- As before, but not for a tenant that has been deleted meanwhile: whoever deletes one waits for this, and then finds all of it.
create or replace function count_moved_tokens(counts jsonb, direction integer, own_slot integer) returns void
  language plpgsql set search_path = pg_catalog, public, pg_temp
as $$
declare
  own record;
begin
  for own in select key::uuid as tenant, value as sets from jsonb_each(counts) order by key loop
    perform set_config('app.tenant_id', own.tenant::text, true);
    perform from tenants where id = own.tenant for key share;
    if not found then
      continue;
    end if;
    insert into token_counts (tenant_id, type, containers, slot, tokens, last_created_at)
      select own.tenant, type, containers, own_slot, direction * tokens, case when direction > 0 then last_created_at end
      from jsonb_to_recordset(own.sets) as moved(type text, containers text[], tokens bigint, last_created_at timestamptz)
      order by type, containers
      on conflict (tenant_id, type, containers, slot) do update set tokens = token_counts.tokens + excluded.tokens,
        last_created_at = greatest(token_counts.last_created_at, excluded.last_created_at);
  end loop;
end
$$;

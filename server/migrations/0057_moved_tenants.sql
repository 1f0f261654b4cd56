-- Tenants that move between cells. A row says that the tenant is leaving this vault or arriving in it.
create table tenant_moves (
  tenant_id uuid not null,
  direction text not null,
  id uuid not null,
  cell text not null,
  step text not null,
  closed_until timestamptz(3),
  key_ids uuid[] not null default '{}',
  settled_order bigint,
  started_at timestamptz(3) not null default now(),
  decided_at timestamptz(3),
  removed_at timestamptz(3),
  constraint tenant_moves_pkey primary key (tenant_id, direction),
  constraint tenant_moves_direction_known check (direction in ('in', 'out'))
);
comment on column tenant_moves.id is 'Identifies the move. It is the same in both vaults.';
comment on column tenant_moves.cell is 'The other cell.';
comment on column tenant_moves.step is 'The last step that is done.';
comment on column tenant_moves.closed_until is 'Until then, nothing of the tenant is recorded here, and so nothing is read or written. Infinity if the tenant is not here yet or not here any more.';
comment on column tenant_moves.key_ids is 'Keys that name the other cell although the tenant is here, or this cell although it is not.';
comment on column tenant_moves.settled_order is 'Records before this sealing order were compared while the tenant was open.';
comment on column tenant_moves.decided_at is 'When the tenant left this vault, or was opened in it.';
comment on column tenant_moves.removed_at is 'When what the tenant left here was removed.';

-- A row that is replicated with the tenant. Once a number arrives, so has everything that was committed before it.
create table tenant_move_marks (
  tenant_id uuid not null,
  number bigint not null,
  constraint tenant_move_marks_pkey primary key (tenant_id)
);

alter table tenant_moves enable row level security;
alter table tenant_moves force row level security;
create policy tenant_moves_isolation on tenant_moves for select to strongroom_app
  using (tenant_id = current_tenant_id());
create policy tenant_moves_system on tenant_moves for select to strongroom_system using (true);
create policy tenant_moves_sealer on tenant_moves for select to strongroom_sealer using (true);
grant select on tenant_moves to strongroom_app, strongroom_system, strongroom_sealer;
alter table tenant_move_marks enable row level security;
alter table tenant_move_marks force row level security;

create trigger tenant_moves_announce after insert or update or delete on tenant_moves
  for each row execute function announce_change('tenant_id');

-- Called only if the tenant is closed.
create function refuse_closed_tenant() returns boolean
  language plpgsql stable set search_path = pg_catalog, public, pg_temp
as $$
declare
  new_cell text;
begin
  select cell into new_cell from tenant_moves
    where tenant_id = current_tenant_id() and direction = 'out' and decided_at is not null;
  if found then
    raise exception '%', new_cell using errcode = 'SR007';
  end if;
  raise exception 'the tenant is being moved' using errcode = 'SR006';
end
$$;

-- Every operation leaves a record in its own transaction, so this is where a closed tenant is noticed. The question is asked once a
-- statement and finds an empty table in nearly every vault. A server that has not learned of the move yet cannot miss it.
alter policy audit_records_isolation on audit_records with check (
  tenant_id = current_tenant_id() and sealing_order = (select audit_order(pg_current_xact_id()))
  and (select not exists (select from tenant_moves m where m.tenant_id = current_tenant_id() and m.closed_until > now())
    or refuse_closed_tenant()));

-- Keys of applications are hashed with a key of the installation. A tenant that moves takes along the one with which its keys were hashed.
alter table tenant_keys drop constraint tenant_keys_purpose_known;
alter table tenant_keys add constraint tenant_keys_purpose_known
  check (purpose in ('data', 'fingerprint', 'index', 'credential'));

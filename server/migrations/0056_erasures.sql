-- Erasures: tokens that were selected together are removed by a worker, and a signed receipt says what was removed.
create table erasures (
  tenant_id uuid not null,
  id uuid not null,
  status text not null default 'counted',
  selection jsonb not null,
  is_limited boolean not null,
  counted bigint not null,
  held bigint not null,
  removed bigint not null default 0,
  created_by uuid,
  created_key uuid,
  created_at timestamptz(3) not null default now(),
  confirmed_at timestamptz(3),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  reason text,
  receipt text,
  constraint erasures_pkey primary key (tenant_id, id),
  constraint erasures_tenant_fkey foreign key (tenant_id) references tenants (id) on delete cascade,
  constraint erasures_status_known check (status in (
    'counted', 'awaiting_approval', 'queued', 'running', 'sealing', 'finished', 'cancelled', 'stopped'))
);
comment on column erasures.selection is 'Container, type and metadata of the tokens. Digests replace the values of metadata when the erasure is over.';
comment on column erasures.is_limited is 'Whether tokens that match may be left because the requester may not delete them.';
comment on column erasures.created_by is 'The application or user who asked for it; null for the operator.';
comment on column erasures.receipt is 'The signed head of the receipt. The records that follow it are read from the log.';
create index erasures_newest on erasures (tenant_id, created_at desc, id desc);
create index erasures_due on erasures (tenant_id, id) where status in ('queued', 'running', 'sealing');

-- The transactions that removed tokens. All records of one are adjacent in the log of the tenant.
create table erasure_batches (
  tenant_id uuid not null,
  erasure_id uuid not null,
  sealing_order bigint not null,
  tokens integer not null,
  constraint erasure_batches_pkey primary key (tenant_id, erasure_id, sealing_order),
  constraint erasure_batches_erasure_fkey foreign key (tenant_id, erasure_id)
    references erasures (tenant_id, id) on delete cascade
);

alter table erasures enable row level security;
alter table erasures force row level security;
create policy erasures_isolation on erasures to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
create policy erasures_for_system on erasures for select to strongroom_system using (true);
alter table erasure_batches enable row level security;
alter table erasure_batches force row level security;
create policy erasure_batches_isolation on erasure_batches to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
grant select, insert on erasures to strongroom_app;
grant update (status, selection, removed, confirmed_at, started_at, finished_at, reason, receipt) on erasures to strongroom_app;
grant select (tenant_id, id, status) on erasures to strongroom_system;
grant select, insert on erasure_batches to strongroom_app;

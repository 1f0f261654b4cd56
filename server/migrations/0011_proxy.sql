-- Where an application may send plaintext; null means that it has not been said, an empty list that it may nowhere.
alter table applications add column allowed_destinations text[];
comment on column applications.allowed_destinations is 'Host names, or *. and a host name for exactly one label before it. Null: no list.';


-- Calls of the proxy that have begun and of which nobody knows the end yet. A row comes with the record of the intent and
-- goes with the record of the outcome, so that what a dead server left behind is found without reading the audit log.
create table proxy_calls (
  tenant_id uuid not null,
  id uuid not null,
  destination text not null,
  started_at timestamptz(3) not null default now(),
  constraint proxy_calls_pkey primary key (tenant_id, id)
);

alter table proxy_calls enable row level security;
alter table proxy_calls force row level security;
create policy proxy_calls_isolation on proxy_calls to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
create policy proxy_calls_system on proxy_calls for select to strongroom_system using (true);

grant select, insert, delete on proxy_calls to strongroom_app;
-- Enough to find what was left behind, without saying whom anybody called.
grant select (tenant_id, id, started_at) on proxy_calls to strongroom_system;

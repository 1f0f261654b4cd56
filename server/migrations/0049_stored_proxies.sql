-- Proxies with a destination, secrets and transforms of their own. Callers name them by a key.
create table stored_proxies (
  tenant_id uuid not null,
  id uuid not null,
  version integer not null default 1,
  key_hash bytea not null,
  name text not null,
  destination_url text not null,
  require_auth boolean not null,
  application_id uuid,
  request_transforms jsonb not null,
  response_transforms jsonb not null,
  timeout_seconds smallint,
  disable_detokenization boolean not null,
  secrets_sealed bytea not null,
  created_by uuid,
  created_at timestamptz(3) not null default now(),
  modified_by uuid,
  modified_at timestamptz(3),
  constraint stored_proxies_pkey primary key (tenant_id, id),
  constraint stored_proxies_key unique (key_hash),
  constraint stored_proxies_tenant_fkey foreign key (tenant_id) references tenants (id) on delete cascade,
  constraint stored_proxies_rights_known check (require_auth or application_id is not null)
);
comment on column stored_proxies.version is 'Counts changes, so that a change based on an older version is rejected.';
comment on column stored_proxies.key_hash is 'SHA-256 of the key, which has 256 random bits.';
comment on column stored_proxies.application_id is 'The application whose rights apply. It is kept if the application is deleted, and calls are then rejected.';
comment on column stored_proxies.secrets_sealed is 'JSON with the key and the configuration, encrypted with the data key of the tenant.';
create index stored_proxies_newest on stored_proxies (tenant_id, created_at desc, id desc);

alter table stored_proxies enable row level security;
alter table stored_proxies force row level security;
create policy stored_proxies_isolation on stored_proxies to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
grant select, insert, update, delete on stored_proxies to strongroom_app;
-- A key is looked up before its tenant is known.
create policy stored_proxies_system on stored_proxies for select to strongroom_system using (true);
grant select (tenant_id, id, key_hash, require_auth, application_id) on stored_proxies to strongroom_system;

create table tenant_keys (
  tenant_id uuid not null,
  purpose text not null,
  version integer not null,
  root_key text not null,
  wrapped bytea not null,
  canary bytea not null,
  created_at timestamptz(3) not null default now(),
  constraint tenant_keys_pkey primary key (tenant_id, purpose, version),
  constraint tenant_keys_tenant_fkey foreign key (tenant_id) references tenants (id) on delete cascade,
  constraint tenant_keys_purpose_known check (purpose in ('data', 'fingerprint', 'index', 'audit')),
  constraint tenant_keys_version_positive check (version > 0)
);
comment on column tenant_keys.root_key is 'Provider and fingerprint of the root key that wraps this key.';
comment on column tenant_keys.wrapped is 'Ciphertext: the 256-bit tenant key, wrapped by the root key.';
comment on column tenant_keys.canary is 'Ciphertext: a known text under this key, opened at every start.';

create table system_keys (
  purpose text not null,
  version integer not null,
  root_key text not null,
  wrapped bytea not null,
  created_at timestamptz(3) not null default now(),
  constraint system_keys_pkey primary key (purpose, version),
  constraint system_keys_purpose_known check (purpose in ('credential', 'exchange'))
);
comment on column system_keys.wrapped is 'Ciphertext: the 256-bit key of the installation, wrapped by the root key.';

alter table tenant_keys enable row level security;
alter table tenant_keys force row level security;
create policy tenant_keys_isolation on tenant_keys to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
create policy tenant_keys_system on tenant_keys for select to strongroom_system using (true);

alter table system_keys enable row level security;
alter table system_keys force row level security;
create policy system_keys_system on system_keys to strongroom_system using (true) with check (true);

grant select, insert, delete on tenant_keys to strongroom_app;
grant select on tenant_keys to strongroom_system;
grant select, insert on system_keys to strongroom_system;

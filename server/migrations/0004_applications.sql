create table applications (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  type text not null,
  permissions text[] not null,
  rules jsonb not null,
  expires_at timestamptz(3),
  created_by uuid,
  created_at timestamptz(3) not null default now(),
  modified_by uuid,
  modified_at timestamptz(3),
  constraint applications_pkey primary key (tenant_id, id),
  constraint applications_tenant_fkey foreign key (tenant_id) references tenants (id) on delete cascade,
  constraint applications_type_known check (type in ('private', 'public', 'management')),
  constraint applications_name_length check (char_length(name) between 1 and 200)
);
create index applications_newest on applications (tenant_id, created_at desc, id desc);

create table application_keys (
  tenant_id uuid not null,
  id uuid not null,
  application_id uuid not null,
  version integer not null,
  secret_hash bytea not null,
  created_by uuid,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  constraint application_keys_pkey primary key (tenant_id, id),
  constraint application_keys_id_key unique (id),
  constraint application_keys_application_fkey foreign key (tenant_id, application_id)
    references applications (tenant_id, id) on delete cascade
);
create index application_keys_of_application on application_keys (tenant_id, application_id, created_at desc, id desc);
comment on column application_keys.secret_hash is 'HMAC-SHA-256 of the secret part under the credential key of the installation.';

alter table applications enable row level security;
alter table applications force row level security;
create policy applications_isolation on applications to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
create policy applications_system on applications for select to strongroom_system using (true);

alter table application_keys enable row level security;
alter table application_keys force row level security;
create policy application_keys_isolation on application_keys to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
create policy application_keys_system on application_keys to strongroom_system using (true) with check (true);

grant select, insert, update, delete on applications, application_keys to strongroom_app;
grant select on applications, application_keys to strongroom_system;
grant update (last_used_at) on application_keys to strongroom_system;

-- Every server keeps who-may-do-what in memory and listens here. The notice leaves with the commit that causes it, so
-- no writer can forget it. The payload names the row that changed and holds nothing secret.
create function announce_change() returns trigger
  language plpgsql
as $$
begin
  perform pg_notify('strongroom_changes', tg_table_name || ' ' || (to_jsonb(coalesce(old, new)) ->> tg_argv[0]));
  return null;
end
$$;

create trigger application_keys_announce after update of secret_hash or delete on application_keys
  for each row execute function announce_change('id');
create trigger applications_announce after update or delete on applications
  for each row execute function announce_change('id');
create trigger tenants_announce after update or delete on tenants
  for each row execute function announce_change('id');
create trigger tenant_keys_announce after insert or update or delete on tenant_keys
  for each row execute function announce_change('tenant_id');

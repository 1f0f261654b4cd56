-- Short-lived credentials for browsers. A session is made with a public key and can do nothing until an application with
-- a private key authorizes it; it never exceeds that application, and it goes with either of the two.
create table sessions (
  tenant_id uuid not null,
  id uuid not null,
  application_id uuid not null,
  secret_hash bytea not null,
  nonce_hash bytea not null,
  permissions text[] not null default '{}',
  rules jsonb not null default '[]',
  authorized_by uuid,
  authorized_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  constraint sessions_pkey primary key (tenant_id, id),
  constraint sessions_id_key unique (id),
  constraint sessions_nonce_key unique (tenant_id, nonce_hash),
  constraint sessions_application_fkey foreign key (tenant_id, application_id)
    references applications (tenant_id, id) on delete cascade,
  constraint sessions_authorizer_fkey foreign key (tenant_id, authorized_by)
    references applications (tenant_id, id) on delete cascade,
  constraint sessions_authorization_whole check ((authorized_by is null) = (authorized_at is null))
);
comment on column sessions.secret_hash is 'HMAC-SHA-256 of the secret part of the session key under the credential key of the installation.';
comment on column sessions.nonce_hash is 'HMAC-SHA-256 of the nonce under the credential key of the installation.';
create index sessions_of_application on sessions (tenant_id, application_id);
create index sessions_of_authorizer on sessions (tenant_id, authorized_by) where authorized_by is not null;
create index sessions_expiring on sessions (tenant_id, expires_at);

alter table sessions enable row level security;
alter table sessions force row level security;
create policy sessions_isolation on sessions to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
create policy sessions_system on sessions for select to strongroom_system using (true);

grant select, insert, update, delete on sessions to strongroom_app;
grant select on sessions to strongroom_system;

create trigger sessions_announce after update or delete on sessions
  for each row execute function announce_change('id');

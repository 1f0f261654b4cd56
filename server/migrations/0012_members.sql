-- Invitations to a tenant, and how its members sign in.

-- A fifth role, for signing in: it finds users, what they sign in with and the tenants that they belong to. It sees no
-- token, no key and no audit record, and no other role sees what people sign in with.
do $$
begin
  create role strongroom_portal nologin;
exception when duplicate_object then null;
end
$$;
grant strongroom_portal to current_user;
grant usage on schema public to strongroom_portal;
-- Logins that serve requests today go on serving all of them.
do $$
declare
  login regrole;
begin
  for login in select member::regrole from pg_auth_members
    where roleid = 'strongroom_system'::regrole and member <> (select oid from pg_roles where rolname = current_user)
  loop
    execute format('grant strongroom_portal to %s', login);
  end loop;
end
$$;

create table invitations (
  tenant_id uuid not null,
  id uuid not null,
  email text not null,
  role text not null,
  link_hash bytea not null,
  link_number integer not null default 1,
  link_sealed bytea,
  expires_at timestamptz(3) not null,
  created_by uuid,
  created_at timestamptz(3) not null default now(),
  modified_by uuid,
  modified_at timestamptz(3),
  constraint invitations_pkey primary key (tenant_id, id),
  constraint invitations_link_key unique (link_hash),
  constraint invitations_tenant_fkey foreign key (tenant_id) references tenants (id) on delete cascade,
  constraint invitations_email_length check (char_length(email) between 3 and 254),
  constraint invitations_role_known check (role in ('ADMIN', 'READ_ONLY'))
);
comment on column invitations.link_hash is 'HMAC-SHA-256 of the link under the credential key of the installation.';
comment on column invitations.link_number is 'Counts the links: a mail that was queued with an earlier one is not sent.';
comment on column invitations.link_sealed is 'Ciphertext: the link, until a mail has carried it away.';
-- One open invitation an address: a second one is a resend of the first.
create unique index invitations_email_key on invitations (tenant_id, lower(email));
create index invitations_newest on invitations (tenant_id, created_at desc, id desc);

alter table invitations enable row level security;
alter table invitations force row level security;
create policy invitations_isolation on invitations to strongroom_app
  using (tenant_id = current_tenant_id()) with check (tenant_id = current_tenant_id());
create policy invitations_portal on invitations for select to strongroom_portal using (true);
grant select, insert, update, delete on invitations to strongroom_app;
grant select on invitations to strongroom_portal;

create index members_newest on members (tenant_id, created_at desc, id desc);
create index members_of_user on members (user_id);

-- Signing in happens before a tenant is known. Of tenants and of applications, which may have invited, only the name shows.
create policy members_portal on members for select to strongroom_portal using (true);
create policy users_portal on users to strongroom_portal using (true) with check (true);
create policy tenants_portal on tenants for select to strongroom_portal using (true);
create policy applications_portal on applications for select to strongroom_portal using (true);
grant select on members to strongroom_portal;
grant select, insert, update on users to strongroom_portal;
grant select (id, name) on tenants to strongroom_portal;
grant select (tenant_id, id, name) on applications to strongroom_portal;

-- A user belongs to no tenant, so what a user signs in with is sealed by a key of the installation.
alter table system_keys drop constraint system_keys_purpose_known;
alter table system_keys add constraint system_keys_purpose_known
  check (purpose in ('credential', 'exchange', 'audit', 'user'));

-- The password of a user, which counts only together with a code from an authenticator app.
create table user_passwords (
  user_id uuid not null,
  salt bytea not null,
  password_hash bytea not null,
  totp_sealed bytea not null,
  totp_step bigint not null,
  created_at timestamptz(3) not null default now(),
  constraint user_passwords_pkey primary key (user_id),
  constraint user_passwords_user_fkey foreign key (user_id) references users (id) on delete cascade
);
comment on column user_passwords.password_hash is 'scrypt of the password, then HMAC-SHA-256 under the credential key of the installation.';
comment on column user_passwords.totp_sealed is 'Ciphertext: the secret of the authenticator app.';
comment on column user_passwords.totp_step is 'Time step of the last code that was taken; neither it nor an earlier one is taken again.';

create table user_passkeys (
  user_id uuid not null,
  id bytea not null,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  constraint user_passkeys_pkey primary key (id),
  constraint user_passkeys_user_fkey foreign key (user_id) references users (id) on delete cascade,
  constraint user_passkeys_id_length check (length(id) between 1 and 1023)
);
create index user_passkeys_of_user on user_passkeys (user_id);

-- Who a user is at an OpenID provider.
create table user_identities (
  user_id uuid not null,
  issuer text not null,
  subject text not null,
  created_at timestamptz(3) not null default now(),
  constraint user_identities_pkey primary key (issuer, subject),
  constraint user_identities_user_key unique (user_id, issuer),
  constraint user_identities_user_fkey foreign key (user_id) references users (id) on delete cascade,
  constraint user_identities_subject_length check (char_length(subject) between 1 and 255)
);

create table user_sessions (
  id uuid not null,
  user_id uuid not null,
  secret_hash bytea not null,
  created_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now(),
  constraint user_sessions_pkey primary key (id),
  constraint user_sessions_secret_key unique (secret_hash),
  constraint user_sessions_user_fkey foreign key (user_id) references users (id) on delete cascade
);
comment on column user_sessions.secret_hash is 'HMAC-SHA-256 of the cookie under the credential key of the installation.';
create index user_sessions_of_user on user_sessions (user_id);
create index user_sessions_created on user_sessions (created_at);

-- One-time links with which an operator lets somebody in.
create table user_links (
  link_hash bytea not null,
  user_id uuid not null,
  expires_at timestamptz(3) not null,
  constraint user_links_pkey primary key (link_hash),
  constraint user_links_user_fkey foreign key (user_id) references users (id) on delete cascade
);
comment on column user_links.link_hash is 'HMAC-SHA-256 of the link under the credential key of the installation.';
create index user_links_of_user on user_links (user_id);

-- Attempts to sign in, counted by account and by client address; neither is stored as it is.
create table sign_in_attempts (
  subject_hash bytea not null,
  attempts integer not null,
  started_at timestamptz(3) not null,
  constraint sign_in_attempts_pkey primary key (subject_hash)
);
comment on column sign_in_attempts.subject_hash is 'HMAC-SHA-256 of the address that is counted.';
create index sign_in_attempts_started on sign_in_attempts (started_at);

-- Ceremonies (a passkey, a visit to an OpenID provider) that have been completed: none is completed twice.
create table spent_ceremonies (
  id uuid not null,
  expires_at timestamptz(3) not null,
  constraint spent_ceremonies_pkey primary key (id)
);
create index spent_ceremonies_expiring on spent_ceremonies (expires_at);

do $$
declare
  name text;
begin
  foreach name in array array['user_passwords', 'user_passkeys', 'user_identities', 'user_sessions', 'user_links',
      'sign_in_attempts', 'spent_ceremonies'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy %I on %I to strongroom_portal using (true) with check (true)', name || '_portal', name);
    execute format('grant select, insert, update, delete on %I to strongroom_portal', name);
  end loop;
end
$$;

-- Whoever accepts an invitation is signed in by the same transaction, as a member of that tenant and nobody else.
create policy user_sessions_start on user_sessions for insert to strongroom_app with check (
  exists (select from members where members.user_id = user_sessions.user_id and members.tenant_id = current_tenant_id()));
grant insert on user_sessions to strongroom_app;

-- The user with this address, made if there is none. Addresses are the same in any case: of two that join at once, the
-- second waits for the first. `is_free` tells that nobody is this user yet: no tenant knows it, and no way to sign in.
-- With the rights of the portal's role, since a tenant sees only users who are its members.
create function join_user(address text, new_id uuid) returns table (id uuid, is_free boolean)
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  found_id uuid;
begin
  insert into users (id, email) values (new_id, address) on conflict do nothing;
  select users.id into strict found_id from users where lower(users.email) = lower(address) for update;
  return query select found_id, not (
    exists (select from members where members.user_id = found_id)
    or exists (select from user_passwords where user_passwords.user_id = found_id)
    or exists (select from user_passkeys where user_passkeys.user_id = found_id)
    or exists (select from user_identities where user_identities.user_id = found_id));
end
$$;

-- A member who is deleted is signed out in the same transaction, whatever deletes the row. Other tenants of the same user
-- lose nothing but the session.
create function sign_member_out() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  delete from user_sessions where user_id = old.user_id;
  delete from user_links where user_id = old.user_id;
  return null;
end
$$;

grant create on schema public to strongroom_portal;
alter function join_user(text, uuid) owner to strongroom_portal;
alter function sign_member_out() owner to strongroom_portal;
revoke create on schema public from strongroom_portal;
revoke execute on function join_user(text, uuid) from public;
revoke execute on function sign_member_out() from public;
grant execute on function join_user(text, uuid) to strongroom_app;

create trigger members_sign_out after delete on members for each row execute function sign_member_out();

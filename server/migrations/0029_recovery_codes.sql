-- Codes that stand in for the authenticator app of somebody who has lost it. Each works once, together with the password.
create table user_recovery_codes (
  user_id uuid not null,
  code_hash bytea not null,
  created_at timestamptz(3) not null default now(),
  constraint user_recovery_codes_pkey primary key (user_id, code_hash),
  constraint user_recovery_codes_password_fkey foreign key (user_id) references user_passwords (user_id) on delete cascade
);
comment on column user_recovery_codes.code_hash is 'HMAC-SHA-256 of user and code under the credential key of the installation.';
comment on column user_recovery_codes.created_at is 'Codes from before the password was set do not count.';

alter table user_recovery_codes enable row level security;
alter table user_recovery_codes force row level security;
create policy user_recovery_codes_portal on user_recovery_codes to strongroom_portal using (true) with check (true);
grant select, insert, delete on user_recovery_codes to strongroom_portal;

-- Whether a member has to sign in with a way of their own before doing anything in the tenant: always in production, and in a test
-- tenant that asks for it. Computed here, so that the portal's role learns the answer without seeing what else a tenant has set.
-- A value that an earlier version stored without checking it counts as the stricter one.
alter table tenants add column requires_sign_in_way boolean not null
  generated always as (type = 'production' or coalesce(settings ->> 'require_sign_in_way', 'false') <> 'false') stored;
grant select (requires_sign_in_way) on tenants to strongroom_portal;

-- Passwords are stored as hashes, so a password that is too simple by today's rules is recognised only when somebody signs in with it.
alter table user_sessions add column has_weak_password boolean not null default false;
comment on column user_sessions.has_weak_password is 'Whether the session began with a password that has to be replaced.';

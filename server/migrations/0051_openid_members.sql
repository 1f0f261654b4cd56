-- A tenant can demand that its members sign in with the OpenID provider. It is computed here, so that the role of the portal learns it
-- without seeing what else a tenant has set.
alter table tenants add column requires_provider boolean not null
  generated always as (coalesce(settings ->> 'require_openid', 'false') <> 'false') stored;
grant select (requires_provider) on tenants to strongroom_portal;

alter table user_sessions add column is_by_provider boolean not null default false;
comment on column user_sessions.is_by_provider is 'Whether the session began at the OpenID provider.';

-- Who was a member once. People who were removed do not become members again by signing in at the provider.
create table former_members (
  tenant_id uuid not null references tenants (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  removed_at timestamptz(3) not null default now(),
  constraint former_members_pkey primary key (tenant_id, user_id)
);
create index former_members_of_user on former_members (user_id);
alter table former_members enable row level security;
alter table former_members force row level security;
create policy former_members_isolation on former_members for select to strongroom_app
  using (tenant_id = current_tenant_id());
create policy former_members_portal on former_members to strongroom_portal using (true) with check (true);
grant select on former_members to strongroom_app;
grant select, insert on former_members to strongroom_portal;

create function remember_former_member() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  -- If the tenant or the user is being deleted, there is nothing to remember.
  insert into former_members (tenant_id, user_id)
    select t.id, u.id from tenants t, users u where t.id = old.tenant_id and u.id = old.user_id
    on conflict do nothing;
  return null;
end
$$;

-- The user with this identity at the provider, created if nobody uses the address yet. Null if somebody does: the provider alone
-- must never sign in to an account that exists already.
create function join_by_provider(given_issuer text, given_subject text, address text, new_id uuid) returns uuid
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  found_id uuid;
  found_free boolean;
begin
  select user_id into found_id from user_identities where issuer = given_issuer and subject = given_subject;
  if found then
    -- Of two sign-ins at the same time, the second one sees what the first one has joined.
    perform from users where id = found_id for no key update;
    return found_id;
  end if;
  select joined.id, joined.is_free into strict found_id, found_free from join_user(address, new_id) joined;
  if not found_free then
    -- The same person may have joined while this waited for the row of the user.
    return (select user_id from user_identities where issuer = given_issuer and subject = given_subject);
  end if;
  insert into user_identities (user_id, issuer, subject) values (found_id, given_issuer, given_subject);
  return found_id;
end
$$;

grant create on schema public to strongroom_portal;
alter function remember_former_member() owner to strongroom_portal;
alter function join_by_provider(text, text, text, uuid) owner to strongroom_portal;
revoke create on schema public from strongroom_portal;
revoke execute on function remember_former_member() from public;
revoke execute on function join_by_provider(text, text, text, uuid) from public;
grant execute on function join_by_provider(text, text, text, uuid) to strongroom_app;

create trigger members_remember after delete on members for each row execute function remember_former_member();

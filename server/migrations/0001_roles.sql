-- Three roles, so that no single connection can do everything.
--   the owner (whoever runs this migration) changes the schema and never serves requests;
--   strongroom_app serves requests, owns nothing, and sees one tenant at a time;
--   strongroom_system reads across tenants, but only tables that hold no customer data.
-- Roles belong to the whole server, so another Strongroom database may have made them already.
do $$
begin
  create role strongroom_app nologin;
exception when duplicate_object then null;
end
$$;

do $$
begin
  create role strongroom_system nologin;
exception when duplicate_object then null;
end
$$;

grant strongroom_app, strongroom_system to current_user;
revoke create on schema public from public;
grant usage on schema public to strongroom_app, strongroom_system;

-- The tenant of the current transaction. A pooled connection's setting reverts to '' and not to NULL when its
-- transaction ends, so the empty string has to mean "no tenant" as well.
create function current_tenant_id() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('app.tenant_id', true), '')::uuid;

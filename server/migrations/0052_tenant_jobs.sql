-- The background jobs that a tenant may know of: its own, and those of the whole vault that belong to no tenant. Jobs of other tenants
-- are not counted, because their number tells what others do. At most so many jobs are counted, however many there are.
create function list_tenant_jobs() returns table (
    task text, of_tenant boolean, waiting integer, running integer, lag_seconds float8)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select task, of_tenant, count(*) filter (where state < 'active')::integer, count(*) filter (where state = 'active')::integer,
    coalesce(extract(epoch from now() - min(start_after) filter (where state < 'active' and start_after <= now())), 0)::float8
  from (
    select name as task, data ->> 'tenant_id' is not null as of_tenant, state, start_after
    from pgboss.job_common
    where state <= 'active' and name <> 'dead-letters' and not starts_with(name, '__pgboss__')
      and coalesce(data ->> 'tenant_id', current_tenant_id()::text) = current_tenant_id()::text
    limit 10000
  ) as job
  group by task, of_tenant order by task, of_tenant
$$;
revoke execute on function list_tenant_jobs() from public;
grant execute on function list_tenant_jobs() to strongroom_app;

-- Statements that delete or change a token read the holds of their tenant that are in force, however many have ended. The planner moves a
-- condition with `coalesce` behind the policy of the table, where it cannot use an index, but not one with `case`.
create index legal_holds_in_force on legal_holds (tenant_id, (case when ends_at is null then 'infinity' else ends_at end))
  where lifted_at is null;

-- Holds that ended long ago are removed. No statement can remove one that is in force.
create policy legal_holds_ended on legal_holds as restrictive for delete to strongroom_app
  using (coalesce(lifted_at, ends_at) <= now());
grant delete on legal_holds to strongroom_app;

-- As before, but with an order: if there are more jobs than are counted, those count that run and those that have waited longest, so that
-- the lag is right and a list does not change from one look to the next.
create or replace function list_tenant_jobs() returns table (
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
    order by state desc, start_after, id
    limit 10000
  ) as job
  group by task, of_tenant order by task, of_tenant
$$;

comment on column tenant_moves.removed_at is 'When what the tenant left in its source was removed: here if it left, in the other cell if it arrived.';

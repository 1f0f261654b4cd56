-- Statements that delete or change a token read the holds of their tenant that are in force, however many have ended. The planner moves a
-- condition with `coalesce` behind the policy of the table, where it cannot use an index, but not one with `case`.
create index legal_holds_in_force on legal_holds (tenant_id, (case when ends_at is null then 'infinity' else ends_at end))
  where lifted_at is null;

-- Holds that ended long ago are removed. No statement can remove one that is in force.
create policy legal_holds_ended on legal_holds as restrictive for delete to strongroom_app
  using (coalesce(lifted_at, ends_at) <= now());
grant delete on legal_holds to strongroom_app;

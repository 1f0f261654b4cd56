-- What is stored about the arrival of a tenant is removed with the tenant. Until then, no server can delete it.
create policy tenant_moves_purge on tenant_moves for delete to strongroom_app
  using (tenant_id = current_tenant_id() and direction = 'in' and not exists (select from tenants t where t.id = tenant_moves.tenant_id));
create policy tenant_move_marks_isolation on tenant_move_marks for select to strongroom_app
  using (tenant_id = current_tenant_id());
create policy tenant_move_marks_purge on tenant_move_marks for delete to strongroom_app
  using (tenant_id = current_tenant_id() and not exists (select from tenants t where t.id = tenant_move_marks.tenant_id));
grant delete on tenant_moves to strongroom_app;
grant select, delete on tenant_move_marks to strongroom_app;

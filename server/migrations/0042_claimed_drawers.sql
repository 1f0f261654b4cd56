-- Drawers that have left a database and were not received are claimed by it: where another holds them all the same, one of the two was
-- restored to an earlier state. So servers read which drawers have left, and whether they were received.
grant select (id, to_node, drawers, state, finished_at) on drawer_moves to strongroom_system;
create policy drawer_moves_read on drawer_moves for select to strongroom_system using (true);
grant select (move_id) on drawer_receipts to strongroom_system;
create policy drawer_receipts_read on drawer_receipts for select to strongroom_system using (true);

-- By a release, an operator has decided that the other database is right.
alter table drawer_moves add column is_release boolean not null default false;
comment on column drawer_moves.is_release is 'Whether this database was restored to an earlier state, and gives up what the other holds too.';
grant select (is_release) on drawer_moves to strongroom_system;

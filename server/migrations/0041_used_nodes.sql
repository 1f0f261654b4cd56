-- A process that was started before a node was added does not look there. Once tokens may lie on a node, no such process gets another
-- connection.
alter table vault_nodes add column is_used boolean not null default false;
comment on column vault_nodes.is_used is 'Whether tokens may lie there.';
update vault_nodes set is_used = true;

-- Home counts what a key does in the whole vault. For each node it remembers what it has added last, so that nothing is added twice, and
-- until when everything was seen, so that no window is forgotten while records of it may still come.
create table audit_watched_nodes (
  node text not null,
  added_from bigint,
  added_to bigint,
  seen_until timestamptz(3) not null,
  constraint audit_watched_nodes_pkey primary key (node),
  constraint audit_watched_nodes_whole check ((added_from is null) = (added_to is null))
);
comment on column audit_watched_nodes.added_from is 'In the sealing order of the node: where the records begin that were added last; null before the first.';
comment on column audit_watched_nodes.seen_until is 'All records of the node that were written before this have been added.';
alter table audit_watched_nodes enable row level security;
alter table audit_watched_nodes force row level security;
create policy audit_watched_nodes_system on audit_watched_nodes to strongroom_sealer using (true) with check (true);
grant select, insert, update, delete on audit_watched_nodes to strongroom_sealer;

-- The rows of one card: token, counter, audit record. Every client has a counter of its own, as every server has.
\set first random(1000000000000000000, 9000000000000000000)
\set second random(1000000000000000000, 9000000000000000000)
begin;
insert into tokens (tenant_id, id, type, version, data, containers, shelf, fingerprint, terms, created_by)
  values (:tenant::uuid, rpad(:first::text, 36, 'x'), 'card', 1, :data::bytea, array['/pci/high/'], 'card /pci/high/', rpad(:second::text, 44, 'x'), '{}', :actor::uuid) returning created_at;
insert into token_counts (tenant_id, type, containers, slot, tokens, last_created_at)
  values (:tenant::uuid, 'card', array['/pci/high/'], :client_id, 1, now())
  on conflict (tenant_id, type, containers, slot) do update set tokens = token_counts.tokens + 1, last_created_at = excluded.last_created_at;
insert into audit_records (tenant_id, sealing_order, entity_id, entity_type, operation, outcome, actor_id, actor_type, key_id, request_id, source_address, containers, transform)
  values (:tenant::uuid, audit_order(pg_current_xact_id()), rpad(:first::text, 36, 'x'), 'card', 'create', 'success', :actor::uuid, 'application', :key::uuid, rpad(:second::text, 36, 'x'), '127.0.0.1', array['/pci/high/'], 'mask');
commit;

-- One card by its id, and the record that it was read.
\set n random(0, :tokens - 1)
\set second random(1000000000000000000, 9000000000000000000)
begin;
select t.id, t.type, t.version, t.data, t.mask, t.containers, t.metadata, t.search_indexes, t.fingerprint, t.fingerprint_expression, t.terms, t.expires_at, t.expires_at_offset_minutes, t.created_by, t.created_at, t.modified_by, t.modified_at, c.sealed, c.token_version
  from tokens t left join token_cvcs c on t.type = 'card' and c.tenant_id = t.tenant_id and c.token_id = t.id and c.expires_at > now()
  where t.tenant_id = :tenant::uuid and t.id = 'card-' || :n::text and (t.expires_at is null or t.expires_at > now());
insert into audit_records (tenant_id, sealing_order, entity_id, entity_type, operation, outcome, actor_id, actor_type, key_id, request_id, source_address, containers, transform)
  values (:tenant::uuid, audit_order(pg_current_xact_id()), 'card-' || :n::text, 'card', 'read', 'success', :actor::uuid, 'application', :key::uuid, rpad(:second::text, 36, 'x'), '127.0.0.1', array['/pci/high/'], 'mask');
commit;

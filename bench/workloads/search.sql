-- The tokens under one term, how many they are, and the record that one was read.
\set second random(1000000000000000000, 9000000000000000000)
begin;
with page as materialized (
    select t.created_at, t.id from (select created_at, token_id as id from token_terms where tenant_id = :tenant::uuid and term = :term::bytea) as candidate
    join tokens t on t.tenant_id = :tenant::uuid and t.id = candidate.id
    where t.tenant_id = :tenant::uuid and (t.expires_at is null or t.expires_at > now()) and t.terms @> array[:term::bytea]
    order by candidate.created_at desc, candidate.id desc offset 0 limit 20)
  select t.id, t.type, t.version, t.data, t.mask, t.containers, t.metadata, t.search_indexes, t.fingerprint, t.fingerprint_expression, t.terms, t.expires_at, t.expires_at_offset_minutes, t.created_by, t.created_at, t.modified_by, t.modified_at, c.sealed, c.token_version
  from page join tokens t on t.tenant_id = :tenant::uuid and t.id = page.id left join token_cvcs c on t.type = 'card' and c.tenant_id = t.tenant_id and c.token_id = t.id and c.expires_at > now()
  order by page.created_at desc, page.id desc;
select ((select count(*) from token_terms where tenant_id = :tenant::uuid and term = :term::bytea)
  - (select count(*) from tokens t where t.tenant_id = :tenant::uuid and t.expires_at <= now() and t.terms @> array[:term::bytea]))::float8;
insert into audit_records (tenant_id, sealing_order, entity_id, entity_type, operation, outcome, actor_id, actor_type, key_id, request_id, source_address, containers)
  values (:tenant::uuid, audit_order(pg_current_xact_id()), 'token-7', 'token', 'read', 'success', :actor::uuid, 'application', :key::uuid, rpad(:second::text, 36, 'x'), '127.0.0.1', array['/general/high/']);
commit;

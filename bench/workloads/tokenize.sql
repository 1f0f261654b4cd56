-- The rows of a hundred tokens, as one statement.
\set first random(1000000000000000000, 8000000000000000000)
\set second random(1000000000000000000, 8000000000000000000)
with written as (
  insert into tokens (tenant_id, id, type, version, data, containers, shelf, fingerprint, terms, created_by)
    select :tenant::uuid, gen_random_uuid()::text, 'token', 1, data, array['/general/high/'], 'token /general/high/', rpad((:first + n * 7000000000000001)::text, 44, 'x'), '{}', :actor::uuid
    from unnest(:list::bytea[]) with ordinality as row(data, n) returning id, created_at
), counted as (
  insert into token_counts (tenant_id, type, containers, slot, tokens, last_created_at)
    select :tenant::uuid, 'token', array['/general/high/'], :client_id, count(*), max(created_at) from written
    on conflict (tenant_id, type, containers, slot) do update set tokens = token_counts.tokens + excluded.tokens, last_created_at = excluded.last_created_at
), recorded as (
  insert into audit_records (tenant_id, sealing_order, entity_id, entity_type, operation, outcome, actor_id, actor_type, key_id, request_id, source_address, containers, transform)
    select :tenant::uuid, (select audit_order(pg_current_xact_id())), id, 'token', 'create', 'success', :actor::uuid, 'application', :key::uuid, rpad(:second::text, 36, 'x'), '127.0.0.1', array['/general/high/'], 'mask' from written
)
select id, created_at from written;

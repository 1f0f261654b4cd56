-- How many tokens there are, the newest twenty, and the records that they were read.
\set second random(1000000000000000000, 9000000000000000000)
begin;
select type, containers, sum(tokens)::float8 as tokens from (
    select type, containers, tokens from token_counts where tenant_id = :tenant::uuid
    union all
    select t.type, t.containers, -count(*) from tokens t where t.tenant_id = :tenant::uuid and t.expires_at <= now() group by t.type, t.containers
  ) as counted group by type, containers having sum(tokens) > 0;
with page as materialized (
    select t.created_at, t.id from tokens t where t.tenant_id = :tenant::uuid and (t.expires_at is null or t.expires_at > now())
    order by t.created_at desc, t.id desc offset 0 limit 20)
  select t.id, t.type, t.version, t.data, t.mask, t.containers, t.metadata, t.search_indexes, t.fingerprint, t.fingerprint_expression, t.terms, t.expires_at, t.expires_at_offset_minutes, t.created_by, t.created_at, t.modified_by, t.modified_at, c.sealed, c.token_version
  from page join tokens t on t.tenant_id = :tenant::uuid and t.id = page.id left join token_cvcs c on t.type = 'card' and c.tenant_id = t.tenant_id and c.token_id = t.id and c.expires_at > now()
  order by page.created_at desc, page.id desc;
insert into audit_records (tenant_id, sealing_order, entity_id, entity_type, operation, outcome, actor_id, actor_type, key_id, request_id, source_address, containers)
  select :tenant::uuid, (select audit_order(pg_current_xact_id())), 'token-' || n, 'token', 'read', 'success', :actor::uuid, 'application', :key::uuid, rpad(:second::text, 36, 'x'), '127.0.0.1', array['/general/high/']
  from generate_series(1, 20) as n;
commit;

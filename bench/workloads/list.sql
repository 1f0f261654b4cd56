-- How many tokens there are, the newest twenty, and the records that they were looked for and read.
\set second random(1000000000000000000, 9000000000000000000)
begin;
with page as materialized (
    select t.* from tokens t where t.tenant_id = :tenant::uuid and (t.expires_at is null or t.expires_at > now()) and true
    order by t.created_at desc, t.id desc offset 0 limit 21)
  select token.*, counted.found from (select count(*)::integer as found from page) as counted left join (
    select t.id, t.type, t.version, t.data, t.mask, t.containers, t.metadata, t.search_indexes, t.fingerprint, t.fingerprint_expression, t.terms, t.expires_at, t.expires_at_offset_minutes, t.created_by, t.created_at, t.modified_by, t.modified_at, c.sealed as cvc, c.token_version as cvc_token_version,
      row_number() over (order by t.created_at desc, t.id desc) as place, (octet_length(t.data) + coalesce(octet_length(t.mask), 0) + coalesce(octet_length(t.metadata::text), 0) + coalesce(octet_length(t.search_indexes), 0) + coalesce(octet_length(t.fingerprint_expression), 0) + pg_column_size(t.terms)) as bytes,
      coalesce(sum((octet_length(t.data) + coalesce(octet_length(t.mask), 0) + coalesce(octet_length(t.metadata::text), 0) + coalesce(octet_length(t.search_indexes), 0) + coalesce(octet_length(t.fingerprint_expression), 0) + pg_column_size(t.terms))) over (order by t.created_at desc, t.id desc rows between unbounded preceding and 1 preceding), 0) as bytes_before
    from page as t left join token_cvcs c on t.type = 'card' and c.tenant_id = t.tenant_id and c.token_id = t.id and c.expires_at > now()) as token
  on place <= 20 and bytes_before + bytes <= 65536 order by place;
select (coalesce((select sum(tokens) from token_totals where tenant_id = :tenant::uuid), 0)
  - (select count(*) from tokens t where t.tenant_id = :tenant::uuid and t.expires_at <= now()))::float8 as total;
insert into audit_records (tenant_id, sealing_order, entity_id, entity_type, operation, outcome, actor_id, actor_type, key_id, request_id, source_address, containers, transform, details)
  select :tenant::uuid, (select audit_order(pg_current_xact_id())), case n when 0 then '*' else 'token-' || n end, 'token', case n when 0 then 'search' else 'read' end, 'success', :actor::uuid, 'application', :key::uuid, rpad(:second::text, 36, 'x'), '127.0.0.1',
    case n when 0 then null else array['/general/high/'] end, case n when 0 then null else 'mask' end, case n when 0 then '{"found":20}' end
  from generate_series(0, 20) as n;
commit;

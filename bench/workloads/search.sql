-- The tokens under one term, how many they are, and the records that one was looked for and read.
\set second random(1000000000000000000, 9000000000000000000)
begin;
with page as materialized (
    select t.* from (select created_at, token_id as id from token_terms where tenant_id = :tenant::uuid and term = :term::bytea) as candidate
    join tokens t on t.tenant_id = :tenant::uuid and t.id = candidate.id
    where t.tenant_id = :tenant::uuid and (t.expires_at is null or t.expires_at > now()) and t.terms @> array[:term::bytea] and true
    order by candidate.created_at desc, candidate.id desc offset 0 limit 21)
  select token.*, counted.found from (select count(*)::integer as found from page) as counted left join (
    select t.id, t.type, t.version, t.data, t.mask, t.containers, t.metadata, t.search_indexes, t.fingerprint, t.fingerprint_expression, t.terms, t.expires_at, t.expires_at_offset_minutes, t.created_by, t.created_at, t.modified_by, t.modified_at, c.sealed as cvc, c.token_version as cvc_token_version,
      row_number() over (order by t.created_at desc, t.id desc) as place, (octet_length(t.data) + coalesce(octet_length(t.mask), 0) + coalesce(octet_length(t.metadata::text), 0) + coalesce(octet_length(t.search_indexes), 0) + coalesce(octet_length(t.fingerprint_expression), 0) + pg_column_size(t.terms)) as bytes,
      coalesce(sum((octet_length(t.data) + coalesce(octet_length(t.mask), 0) + coalesce(octet_length(t.metadata::text), 0) + coalesce(octet_length(t.search_indexes), 0) + coalesce(octet_length(t.fingerprint_expression), 0) + pg_column_size(t.terms))) over (order by t.created_at desc, t.id desc rows between unbounded preceding and 1 preceding), 0) as bytes_before
    from page as t left join token_cvcs c on t.type = 'card' and c.tenant_id = t.tenant_id and c.token_id = t.id and c.expires_at > now()) as token
  on place <= 20 and bytes_before + bytes <= 65536 order by place;
select (select count(*) from (select from token_terms where tenant_id = :tenant::uuid and term = :term::bytea limit 10000) as entries)::float8 as listed,
  (select count(*) from tokens t where t.tenant_id = :tenant::uuid and t.expires_at <= now() and t.terms @> array[:term::bytea])::float8 as expired;
insert into audit_records (tenant_id, sealing_order, entity_id, entity_type, operation, outcome, actor_id, actor_type, key_id, request_id, source_address, containers, transform, details)
  values (:tenant::uuid, audit_order(pg_current_xact_id()), '*', 'token', 'search', 'success', :actor::uuid, 'application', :key::uuid, rpad(:second::text, 36, 'x'), '127.0.0.1', null, null, '{"fields":["data"],"found":1}'),
    (:tenant::uuid, audit_order(pg_current_xact_id()), 'token-7', 'token', 'read', 'success', :actor::uuid, 'application', :key::uuid, rpad(:second::text, 36, 'x'), '127.0.0.1', array['/general/high/'], 'mask', null);
commit;

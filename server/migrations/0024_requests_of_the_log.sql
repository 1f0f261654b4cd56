-- no transaction
-- each partition of audit_records
create index concurrently :partition_tenant_id_request_id_created_at_idx on :partition (tenant_id, request_id collate "C", created_at)
